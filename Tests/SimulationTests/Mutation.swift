/// One rule broken on purpose, in the tests only: by a writer with another effect, or by a start
/// with another effect. The code under test is never touched.
enum Mutation: String, CaseIterable, Sendable {
  /// Clicks never expire.
  case expiryForgotten
  /// Clicks live six days.
  case expiryADayEarly
  /// A matched click stays in the table.
  case matchedClickStays
  /// The slot is not emptied.
  case heldClickStays
  /// An older click under a key is not replaced.
  case newestClickIgnored
  /// A click matches under whatever app.
  case appsAreMixed
  /// The lower priority wins.
  case priorityReversed
  /// Of two equal priorities the later one wins.
  case tieGoesToTheLater
  /// An attribution takes a new trigger although one report of it has gone out.
  case halfSentIsChanged
  /// Reports are due 24 hours too early.
  case dueADayEarly
  /// Overdue reports follow each other after a second.
  case gapLost
  /// A half that was sent does not count as sent.
  case sentMarkLost
  /// There is no report to the destination.
  case destinationForgotten
  /// A report's body names another site.
  case bodyNamesAnotherSite
  /// A failed report is not sent again under `reliable`.
  case retryLost
  /// Clearing a site leaves its clicks.
  case clearingForgetsClicks
  /// Clearing a site leaves its attributions and their reports.
  case clearingForgetsAttributions
  /// Clearing leaves reports that wait for another attempt.
  case clearingForgetsRetries
  /// Clearing leaves reports in flight, so that a failure sends them again.
  case clearingForgetsWhatIsUnderWay
  /// The measurements of a private session outlive it.
  case privateSessionSurvives
  /// A click of a private session lands in the normal table.
  case privateClickLeaks
  /// A private session takes the click in the normal session's slot.
  case slotsAreShared
  /// Debug mode waits five seconds instead of ten.
  case debugDelayHalved
  /// A report carries a cookie.
  case requestCarriesCookie
  /// A manual clock is not kept.
  case clockNotKept
  /// A change of settings is not kept.
  case settingsNotKept
  /// A write that is refused leaves its changes.
  case refusedWriteStays
  /// A restart forgets the click in the slot, as WebKit does and this service must not.
  case slotLostAtRestart
  /// A restart forgets the send timer.
  case timerLostAtRestart
  /// A report that was under way when the process died is sent again, whatever the policy.
  case interruptedIsSentAgain
}
