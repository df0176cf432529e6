import Testing

@testable import PCMEndpoint

@Suite("Small endpoints with at most one flaw fail exactly the expected rules")
struct ZooTests {
  static let zoo =
    ZooEndpoint.withoutFault + ZooEndpoint.ofValues + ZooEndpoint.ofRepetition + ZooEndpoint.ofPaths + ZooEndpoint.ofRequests
    + ZooEndpoint.ofBodies + ZooEndpoint.ofLimits + ZooEndpoint.ofConnections

  @Test("The endpoint fails exactly these rules", arguments: zoo)
  func endpoint(_ endpoint: ZooEndpoint) async throws {
    let report = try await endpoint.check()
    #expect(report.failed == endpoint.failing, "\(endpoint.name): \(report.failures)")
    for finding in report.findings {
      if case .notReached(let root) = finding.verdict { #expect(endpoint.failing.contains(root), "\(finding.rule.id)") }
    }
    #expect(report.sentRequests <= report.plannedRequests)
  }

  @Test("There are enough endpoints, with unique names")
  func size() {
    #expect(Self.zoo.count >= 40)
    #expect(Set(Self.zoo.map(\.name)).count == Self.zoo.count)
  }
}
