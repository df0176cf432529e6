import Testing

@testable import PCMCheck

@Suite("Small endpoints with one fault or none fail exactly the rules that are meant")
struct ZooTests {
  static let zoo =
    ZooEndpoint.withoutFault + ZooEndpoint.ofValues + ZooEndpoint.ofRepetition + ZooEndpoint.ofPaths + ZooEndpoint.ofRequests
    + ZooEndpoint.ofBodies + ZooEndpoint.ofLimits + ZooEndpoint.ofConnections

  @Test("It fails these rules and no others", arguments: zoo)
  func endpoint(_ endpoint: ZooEndpoint) async throws {
    let examination = try await endpoint.examine()
    #expect(examination.failed == endpoint.failing, "\(endpoint.name): \(examination.failures)")
    for finding in examination.findings {
      if case .notReached(let root) = finding.verdict { #expect(endpoint.failing.contains(root), "\(finding.rule.id)") }
    }
    #expect(examination.sentRequests <= examination.plannedRequests)
  }

  @Test("There are enough of them, each under its name")
  func size() {
    #expect(Self.zoo.count >= 40)
    #expect(Set(Self.zoo.map(\.name)).count == Self.zoo.count)
  }
}
