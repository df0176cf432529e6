/// The number that an ad network chooses for a campaign.
package enum CampaignIdentifier: Hashable, Sendable {
  /// A number of ``campaigns``, in the versions before 4.0.
  case campaign(Int64)
  /// The hierarchical source identifier of 4.0: two to four decimal digits in postbacks, which may begin with zeros.
  case source(String)

  /// The campaigns of the versions before 4.0.
  package static let campaigns: ClosedRange<Int64> = 1...100
  /// The source identifiers of 4.0, as ad networks sign them.
  package static let sourceIdentifiers: ClosedRange<Int64> = 0...9_999

  /// The signed text.
  var text: String {
    switch self {
    case .campaign(let number): String(number)
    case .source(let digits): digits
    }
  }
}
