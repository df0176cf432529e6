internal import PCMCore

/// The reasons that several decisions have for the identifier of an ad network.
extension Reason {
  static func adNetworkIdentifierInvalid(_ identifier: String) -> Reason {
    Reason("ad-network-id-invalid", "\"\(identifier.shown)\" is not \(AdNetworkIdentifier.form)")
  }

  static func adNetworkIdentifierNotLowerCase(_ identifier: String) -> Reason {
    Reason(
      "ad-network-id-not-lower-case",
      "\"\(identifier.shown)\" has upper-case letters, and a device compares identifiers as they are written")
  }

  static func adNetworkNotRegistered(_ identifier: String) -> Reason {
    Reason("ad-network-not-registered", "no ad network \"\(identifier.shown)\" is registered")
  }
}
