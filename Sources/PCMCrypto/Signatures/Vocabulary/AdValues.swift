internal import PCMCore

/// The presentation of an ad (reference, section 2).
package enum Fidelity: Int64, Hashable, Codable, Sendable, CaseIterable {
  case viewThrough = 0
  /// An ad that StoreKit renders, or a web ad.
  case storeKitRendered = 1
}

/// The place where an ad was displayed.
package enum AdSource: Hashable, Codable, Sendable {
  /// An app, by its identifier in the App Store; 0 for an app that is signed for development.
  case app(Int64)
  /// A website, by its registrable domain. Only SKAdNetwork 4.0.
  case site(String)

  /// The JSON value for an app; nil for a website.
  var app: JSON? { if case .app(let identifier) = self { .number(identifier) } else { nil } }
  /// The JSON value for a website; nil for an app.
  var site: JSON? { if case .site(let domain) = self { .string(domain) } else { nil } }
}

/// The number that an ad network chooses for a campaign.
package enum CampaignIdentifier: Hashable, Codable, Sendable {
  /// A number of ``campaigns``, in the versions before 4.0.
  case campaign(Int64)
  /// The hierarchical source identifier of 4.0: two to four decimal digits in postbacks, which may begin with zeros.
  case source(String)

  /// The campaigns of the versions before 4.0.
  package static let campaigns: ClosedRange<Int64> = 1...100
  /// The source identifiers of 4.0, as ad networks sign them.
  package static let sourceIdentifiers: ClosedRange<Int64> = 0...9_999
}

/// The value that an advertised app reported about an install. It is not signed.
package enum ConversionValue: Hashable, Sendable {
  /// A number of ``fineValues``, in the first postback only.
  case fine(Int64)
  case coarse(Coarse)

  /// The JSON value of a fine value; nil for a coarse value.
  var fine: JSON? { if case .fine(let number) = self { .number(number) } else { nil } }
  /// The JSON value of a coarse value; nil for a fine value.
  var coarse: JSON? { if case .coarse(let value) = self { .string(value.rawValue) } else { nil } }

  package static let fineValues: ClosedRange<Int64> = 0...63

  package enum Coarse: String, Hashable, Codable, Sendable, CaseIterable {
    case low
    case medium
    case high
  }
}

/// The conversion of an AdAttributionKit postback.
package enum ConversionType: String, Hashable, Codable, Sendable, CaseIterable {
  case download
  case redownload
  /// Since iOS 18.
  case reengagement = "re-engagement"
}

/// The times that ad networks sign: milliseconds since 1970.
package enum SignedTime {
  /// The numbers that are times in milliseconds: from 1973 to 5138. Smaller numbers are seconds, and larger numbers
  /// microseconds.
  package static let range: ClosedRange<Int64> = 100_000_000_000...99_999_999_999_999

  /// Converts a time in seconds or microseconds to milliseconds, and returns the original unit; nil for other numbers.
  package static func converted(_ number: Int64) -> (milliseconds: Int64, unit: String)? {
    switch number {
    case 100_000_000..<10_000_000_000: (number * 1_000, "seconds")
    case range.lowerBound * 1_000...range.upperBound * 1_000: (number / 1_000, "microseconds")
    case range.lowerBound * 1_000_000...Int64.max: (number / 1_000_000, "nanoseconds")
    default: nil
    }
  }
}
