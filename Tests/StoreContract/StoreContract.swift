package import PCMStore

/// What any store must hold to, whatever it keeps its rows in. Knows nothing of SQL.
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

  package static let checks =
    browserChecks + stateChecks + appChecks + clickChecks + clickQueryChecks + attributionChecks + reportChecks
    + reportSelectionChecks + eventChecks + eventIndexChecks + eventRemovalChecks + transactionChecks + keptRequestChecks
    + orderChecks + closingChecks
    + agreementChecks + forkChecks + siteChecks + journalChecks
    + deviceRowChecks + postbackChecks + timeChecks + countChecks
}
