import PCMCore
import PCMEndpoint
import PCMNetwork
import PCMURL
import Testing

/// A check of the reference endpoint, which passes.
@Suite(.timeLimit(.minutes(10))) struct CheckTests {
  @Test(arguments: Recipient.allCases)
  func theReferenceEndpointPassesClean(_ role: Recipient) async throws {
    try await ReceiveStage.run { stage async throws in
      let report = try await stage.check { options in
        options.role = role
        guard role == .destination else { return }
        options.pixel = try SiteParser(publicSuffixList: .builtIn()).url(
          "https://news.example/pixel?data=12&source=https%3A%2F%2Fshop.example")
      }
      #expect(report.grade == .pass, "\(report.failures)")
      #expect(
        report.setAside == ["given-values-are-accepted": "no other values were given"])
      #expect(report.findings.map(\.rule) == CheckCatalog.rules(of: .report))
      #expect(report.sentRequests <= report.plannedRequests)
      #expect(report.roots.isEmpty)
    }
  }

  @Test(arguments: AdFramework.allCases, [true, false])
  func theReferenceEndpointPassesForPostbacks(_ framework: AdFramework, testKeys: Bool) async throws {
    try await ReceiveStage.run { stage async throws in
      let report = try await stage.check { options in
        (options.nonces, options.pixel) = (.none, nil)
        options.postbacks = try PostbackSubjects(framework, endpoint: options.endpoint, trustsTestKeys: testKeys, seed: 7)
      }
      #expect(report.grade == .pass, "\(report.failures)")
      #expect(report.endpoint == "https://news.example\(framework.copyPath)")
      #expect(report.findings.map(\.rule) == CheckCatalog.rules(of: CheckKind(framework)))
      #expect(report.roots.isEmpty)
    }
  }
}
