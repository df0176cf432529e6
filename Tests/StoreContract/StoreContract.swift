package import PCMStore

/// The requirements of any store, independent of its storage. Knows nothing of SQL.
///
/// A store's suite runs `checks` as one parameterised test and hands each of them a new and empty store.
package enum StoreContract {
  package struct Check: Sendable, CustomStringConvertible {
    package let description: String
    /// Takes an open, empty store; may leave it in any condition.
    package let hold: @Sendable (any Store) async throws -> Void

    init(_ description: String, _ hold: @escaping @Sendable (any Store) async throws -> Void) {
      self.description = description
      self.hold = hold
    }
  }

  package static let checks = checks(rounds: 500)

  /// - Parameter rounds: The number of random transactions of a check. Each makes hundreds of queries.
  package static func checks(rounds: Int) -> [Check] {
    browserChecks + stateChecks + appChecks + clickChecks + clickQueryChecks + attributionChecks + reportChecks
      + reportSelectionChecks + eventChecks + eventIndexChecks + eventRemovalChecks + transactionChecks + keptRequestChecks
      + orderChecks + closingChecks
      + agreementChecks(rounds: rounds) + forkChecks + siteChecks + journalChecks
      + deviceRowChecks + postbackChecks + timeChecks + countChecks + claimChecks + changeChecks
  }
}
