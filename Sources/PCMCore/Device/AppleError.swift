/// The error that an app receives from Apple's API.
package enum AppleError: Hashable, Sendable {
  case skan(SKANErrorCode)
  case adAttributionKit(AdAttributionKitErrorName)

  package var domain: String {
    switch self {
    case .skan: "SKANError"
    case .adAttributionKit: "AdAttributionKitError"
    }
  }

  package var name: String {
    switch self {
    case .skan(let code): "\(code)"
    case .adAttributionKit(let error): error.rawValue
    }
  }

  /// The number of the error; nil for `AdAttributionKitError`, whose cases have no documented numbers.
  package var number: Int64? {
    switch self {
    case .skan(let code): code.rawValue
    case .adAttributionKit: nil
    }
  }

  package var json: JSON {
    let members: [JSON.Member?] = [
      .init("domain", .string(domain)), .init("name", .string(name)), number.map { .init("number", .number($0)) },
    ]
    return .object(members.compactMap { $0 })
  }
}

/// The codes of `SKANError` (SKAdNetwork reference, section 2.2).
package enum SKANErrorCode: Int64, Hashable, Sendable, CaseIterable {
  case impressionMissingRequiredValue = 0
  case unsupported
  case adNetworkIdMissing
  case mismatchedSourceAppId
  case impressionNotFound
  case invalidCampaignId
  case invalidConversionValue
  case invalidSourceAppId
  case invalidAdvertisedAppId
  case invalidVersion
  case unknown
  case impressionTooShort
}

/// The cases of `AdAttributionKitError` (AdAttributionKit reference, section 2).
package enum AdAttributionKitErrorName: String, Hashable, Sendable, CaseIterable {
  case unknown
  case impressionExpired
  case missingAttributionView
  case invalidImpressionJWSComponents
  case invalidImpressionJWSHeader
  case invalidImpressionJWSPayload
  case invalidImpressionJWSSignature
  case invalidConversionTag
  case conversionTagNotSupported
}
