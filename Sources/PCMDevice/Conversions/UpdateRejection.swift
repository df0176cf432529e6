package import PCMCore
internal import PCMSignatures

/// Why a call that reports a value changes nothing.
package enum UpdateRejection: Hashable, RuleViolation {
  case valueOutOfRange(Int64, AdFramework)
  case appNotFromStore(bundleIdentifier: String)
  case nothingPending(item: Int64?)
  case otherFramework
  case registrationNotMirrored
  case noConversionOfType
  case tagNotSupported(why: String)
  case tagUnknown(String)
  case launchTooLate(deadline: Instant)
  case firstUpdateTooLate(deadline: Instant)
  case conversionEnded
  /// The windows, which begin with the first launch, ended without a call of the app.
  case windowsEndedUnused
  /// - Parameter hasNext: Whether a later window is open.
  case windowLocked(index: Int, until: Instant, hasNext: Bool)
  case coarseMissing(index: Int)
  case valueNotGreater(Int64, kept: Int64)
  case alreadyRegistered

  package var reason: Reason {
    switch self {
    case .valueOutOfRange(let value, _):
      Reason("conversion-value-out-of-range", "the conversion value \(value) is not from \(ConversionValue.fineValues.words)")
    case .appNotFromStore(let app): .appNotFromStore(app)
    case .nothingPending(let item):
      Reason("nothing-pending", "no conversion of app \(item.map(String.init) ?? "without an identifier") waits for a value")
    case .otherFramework:
      Reason("other-framework", "an SKAdNetwork ad won, and the calls of AdAttributionKit do not reach SKAdNetwork")
    case .registrationNotMirrored:
      Reason(
        "registration-not-mirrored",
        "an AdAttributionKit ad won, and only calls with a value are mirrored into AdAttributionKit")
    case .noConversionOfType: Reason("no-conversion-of-type", "no pending conversion has one of the conversionTypes")
    case .tagNotSupported(let why): Reason("conversion-tag-not-supported", why)
    case .tagUnknown(let tag): Reason("conversion-tag-unknown", "no pending re-engagement has the tag \"\(tag.shown)\"")
    case .launchTooLate(let deadline):
      Reason(
        "launch-too-late", "the first launch was due at \(deadline.text), \(Conversion.launchLimit.words) after the install")
    case .firstUpdateTooLate(let deadline): Reason("first-update-too-late", "the first update was due at \(deadline.text)")
    case .conversionEnded, .windowsEndedUnused: Reason("conversion-ended", "the values of the conversion are final")
    case .windowLocked(let index, let end, _):
      Reason("window-locked", "the app locked window \(index + 1), which lasts until \(end.text)")
    case .coarseMissing(let index):
      Reason(
        "coarse-value-missing",
        "only a coarse value counts after the first window, and the call in window \(index + 1) has none")
    case .valueNotGreater(let value, let kept):
      Reason("value-not-greater", "\(value) is not greater than \(kept), and before version 4.0 a value only rises")
    case .alreadyRegistered: Reason("already-registered", "the app is registered; a call without a value changes nothing")
    }
  }

  package var change: String {
    switch self {
    case .valueOutOfRange: "report a value from \(ConversionValue.fineValues.words)"
    case .appNotFromStore:
      "ignore the error in builds of Xcode and TestFlight, or switch on developer mode and install the app after an ad whose "
        + "source app is 0"
    case .nothingPending: "install the app after an ad for it was displayed"
    case .otherFramework: "call updatePostbackConversionValue of SKAdNetwork, which reaches both frameworks"
    case .registrationNotMirrored: "report a value with updatePostbackConversionValue"
    case .noConversionOfType: "name the type of a pending conversion, or leave out conversionTypes"
    case .tagNotSupported: "leave out the conversion tag"
    case .tagUnknown: "use the value of \(ReengagementURL.parameter) in the URL with which the app opened"
    case .launchTooLate: "launch the app within \(Conversion.launchLimit.words) after the install"
    case .firstUpdateTooLate(let deadline): "report a value by \(deadline.text)"
    case .conversionEnded: "report the value before the last window or the timer ends"
    case .windowsEndedUnused:
      "report the value before the last window ends, or set conversionWindowStart of the device to \"first-update\""
    case .windowLocked(_, let end, let hasNext):
      hasNext
        ? "report the value from \(end.text) on, or do not lock the window" : "report the value before you lock the window"
    case .coarseMissing: "report a coarse value"
    case .valueNotGreater(_, let kept):
      kept < ConversionValue.fineValues.upperBound
        ? "report a value greater than \(kept)" : "nothing: \(kept) is the greatest value"
    case .alreadyRegistered: "report a value"
    }
  }

  /// The error that the app receives; nil if the call is ignored silently.
  package var appleError: AppleError? {
    switch self {
    case .valueOutOfRange(_, let framework):
      framework == .skadnetwork ? .skan(.invalidConversionValue) : .adAttributionKit(.unknown)
    case .appNotFromStore: .skan(.unknown)
    case .tagNotSupported: .adAttributionKit(.conversionTagNotSupported)
    case .tagUnknown: .adAttributionKit(.invalidConversionTag)
    case .nothingPending, .otherFramework, .registrationNotMirrored, .noConversionOfType, .launchTooLate, .firstUpdateTooLate,
      .conversionEnded, .windowsEndedUnused, .windowLocked, .coarseMissing, .valueNotGreater, .alreadyRegistered:
      nil
    }
  }
}
