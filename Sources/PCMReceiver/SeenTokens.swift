package import PCMTokens

/// The verified tokens that came to the endpoints of the parties: each comes once to each. As many are remembered as fit;
/// it is the newest that count, since whoever sends a report twice does so soon.
package struct SeenTokens: Sendable {
  private struct Visit: Hashable {
    let host: String
    let side: TokenSide
    let token: UnlinkableToken
  }

  private let capacity: Int
  private var visits: Set<Visit> = []
  private var order: [Visit] = []

  /// - Parameter capacity: at least 1; a visit takes some 200 bytes.
  package init(capacity: Int = 1_000_000) { self.capacity = capacity }

  /// - Returns: false when the token has been here before.
  package mutating func insert(_ token: UnlinkableToken, of side: TokenSide, at host: String) -> Bool {
    let visit = Visit(host: host, side: side, token: token)
    guard visits.insert(visit).inserted else { return false }
    order.append(visit)
    if order.count > capacity {
      // Many at once, because what is behind them moves up.
      let old = order.prefix(max(1, capacity / 10))
      visits.subtract(old)
      order.removeFirst(old.count)
    }
    return true
  }
}
