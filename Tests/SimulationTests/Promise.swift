/// The promises to a caller.
enum Promise: String, CaseIterable, Sendable {
  /// Without debug mode no report leaves less than 24 hours after its event, or before the time that was announced.
  case notBeforeADay = "no report leaves before 24 hours, or before its time"
  /// Announced times lie 24 to 48 hours after the event.
  case announcedInTime = "reports are announced for 24 to 48 hours later"
  /// In debug mode, when nothing was waiting: 10 and 20 seconds after the event, to the millisecond.
  case debugTimeline = "in debug mode the reports leave after 10 and 20 seconds"
  case oncePerRecipient = "under webkit no recipient receives two reports of a click"
  case oneAClick = "what has been reported once does not change"
  case nothingAfterExpiry = "no click matches after seven days"
  case nothingOfACleared = "nothing of a cleared site is matched or sent"
  case nothingOfAnEndedSession = "nothing of an ended private session is matched or sent"
  case sessionsAreApart = "a private session and the normal one share no click"
  case appsAreApart = "an event matches clicks of the same app only"
  case onlyTheNewest = "only the newest click under a key, or in a slot, can match"
  case onlyTheLatest = "what was superseded is not sent"
  /// Overdue reports wait 15 minutes, or for a round that is due for another report.
  case oneARound = "a round sends one report, and the next one leaves a gap"
  case onlyWhatWasMeasured = "only what was measured is sent, to its two sites"
  case silentWhenOff = "nothing is sent while measurement is off"
  case browsersRequest = "a report is a POST with the headers of a browser"
  case nothingIsForgotten = "what is due is sent within half an hour"
  case reliableDelivers = "under reliable a report is sent until it is accepted"
  case clockGoesOn = "a clock moves to the given instant and never back"
  case settingsHold = "a setting is as it was set last"
  case restartLosesNothing = "a restart loses nothing"
  case refusalChangesNothing = "what was refused has changed nothing"
}

/// A promise that was broken, and how.
struct Breach: Error {
  let promise: Promise
  let detail: String

  init(_ promise: Promise, _ detail: String) {
    self.promise = promise
    self.detail = detail
  }
}

extension Promise {
  /// Ends the judging with a breach unless the condition holds.
  func demand(_ holds: Bool, _ detail: @autoclosure () -> String) throws(Breach) {
    guard holds else { throw Breach(self, detail()) }
  }
}
