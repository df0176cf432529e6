package import PCMCore

extension AdNetworkIdentifier {
  /// Returns why no ad network can have the identifier; nil if one can.
  package static func error(in text: String) -> InputError? {
    let rejection: AdNetworkRejection
    if !isWellFormed(text) {
      rejection = .identifierInvalid(text)
    } else if flaw(in: text) == .upperCase {
      rejection = .notLowerCase(text)
    } else {
      return nil
    }
    return InputError([], "\(rejection.reason.detail); \(rejection.change)", code: rejection.reason.code)
  }
}
