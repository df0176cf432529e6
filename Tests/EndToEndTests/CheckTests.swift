import PCMCheck
import PCMCore
import PCMDelivery
import PCMSites
import Testing

/// An examination of the reference endpoint, which is what a good one looks like.
@Suite(.timeLimit(.minutes(10))) struct CheckTests {
  @Test(arguments: CheckReport.Role.allCases)
  func theReferenceEndpointPassesClean(_ role: CheckReport.Role) async throws {
    try await ReceiveStage.run { stage async throws in
      let examination = try await stage.examine { options in
        options.role = role
        guard role == .destination else { return }
        options.pixel = try SiteParser(publicSuffixList: .builtIn()).url(
          "https://news.example/pixel?data=12&source=https%3A%2F%2Fshop.example")
      }
      #expect(examination.grade == .pass, "\(examination.failures)")
      #expect(
        examination.setAside == [
          "certificate-lasts-at-most-398-days": "the authority is your own (--ca-file)",
          "given-values-are-accepted": "no other values were given",
        ])
      #expect(examination.findings.map(\.rule) == CheckCatalog.rules)
      #expect(examination.sentRequests <= examination.plannedRequests)
      #expect(examination.roots.isEmpty)
    }
  }
}
