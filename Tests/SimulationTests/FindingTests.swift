import PCMCore
import Testing

/// Faults that random sequences found, each as its smallest sequence. A seed means another sequence as soon as the generator
/// draws otherwise; these stay.
@Suite struct FindingTests {
  struct Finding: CustomTestStringConvertible {
    let testDescription: String
    let policy: DeliveryPolicy
    let operations: [Operation]

    init(_ description: String, _ policy: DeliveryPolicy, _ operations: [Operation]) {
      (testDescription, self.policy, self.operations) = (description, policy, operations)
    }
  }

  private static let click = Operation.click(
    ClickStep(way: .link, id: 1, source: "news.example", destination: "shop.example", app: nil))
  private static let pixel = trigger(on: "shop.example")

  private static func trigger(on page: String, app: String? = nil) -> Operation {
    .pixel(
      PixelStep(
        hop: "news.example", target: "news.example", attributionSource: nil, page: page, data: 7, priority: 1, app: app))
  }

  private static func refusal(after count: Int) -> Operation {
    .storeFault(StoreFault(kind: .refusedBefore, after: count))
  }

  private static let findings = [
    Finding(
      "a move that the store refuses leaves the clock where it was, and a restart does not put it back", .webkit,
      [.advance(.seconds(1)), refusal(after: 0), .advance(.seconds(1)), .restart]),
    Finding(
      "the same when the store refuses a round of the timer on the way", .webkit,
      [click, pixel, refusal(after: 0), .advance(.days(3)), .restart]),
    Finding(
      "a result that the store refuses is written with the next move", .webkit,
      [click, pixel, refusal(after: 1), .advance(.days(3)), .advance(.seconds(1))]),
    Finding(
      "the same under reliable, and the report is sent again", .reliable,
      [.network(.refusing), click, pixel, refusal(after: 1), .advance(.days(3))]),
    Finding(
      "a private session's explanation names no click of the normal one", .webkit,
      [
        click, .privateBrowsing(true),
        .click(ClickStep(way: .link, id: 2, source: "video.example", destination: "travel.example", app: nil)),
        .pixel(
          PixelStep(
            hop: "travel.example", target: "travel.example", attributionSource: "news.example", page: "travel.example", data: 7,
            priority: 0, app: nil)),
      ]),
    Finding(
      "a private session's explanation names its own click", .webkit,
      [.privateBrowsing(true), click, trigger(on: "shop.example", app: "com.example.news")]),
    Finding(
      "a private session's report is not sent again after its end", .reliable,
      [.privateBrowsing(true), .network(.refusing), click, pixel, .advance(.days(3)), .privateBrowsing(false)]),
    Finding(
      "a report that is cleared while it is under way is not sent again", .reliable,
      [click, pixel, .network(.refusing), .whileSending(.clear("shop.example")), .advance(.days(3))]),
    Finding(
      "a private session that ends while its report is under way takes the report with it", .reliable,
      [.privateBrowsing(true), click, pixel, .network(.refusing), .whileSending(.privateBrowsing(false)), .advance(.days(3))]),
  ]

  @Test("found faults stay mended, on either store", arguments: findings)
  func mended(_ finding: Finding) async throws {
    for storage in [Plan.Storage.memory, .sqlite] {
      let plan = Plan(
        seed: 1, storage: storage, policy: finding.policy, startsPrivate: false, startsInDebugMode: false,
        operations: finding.operations)
      let violation = try await Simulation(plan: plan).run().violation
      #expect(violation == nil, "\(violation?.report(of: plan) ?? "")")
    }
  }
}
