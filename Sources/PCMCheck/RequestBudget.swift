/// What may still be sent.
struct RequestBudget {
  let planned: Int
  private(set) var spent = 0

  init(_ planned: Int) { self.planned = planned }

  /// False, and nothing is spent, when there is less left.
  mutating func spend(_ count: Int) -> Bool {
    guard spent + count <= planned else { return false }
    spent += count
    return true
  }
}
