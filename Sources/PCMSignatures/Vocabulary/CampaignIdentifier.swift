/// The number that an ad network chooses for a campaign.
package enum CampaignIdentifier: Hashable, Sendable {
  /// 1 to 100, in the versions before 4.0.
  case campaign(Int64)
  /// The hierarchical source identifier of 4.0: two to four decimal digits in postbacks, which may begin with zeros.
  case source(String)

  /// The signed text.
  var text: String {
    switch self {
    case .campaign(let number): String(number)
    case .source(let digits): digits
    }
  }
}
