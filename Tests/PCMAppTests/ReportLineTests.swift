import Foundation
import PCMCore
import PCMCrypto
import PCMEndpoint
import Testing

@testable import PCMApp

/// The lines of `receive` about reports.
@Suite struct ReportLineTests {
  private static let report =
    #"{"source_engagement_type":"click","source_site":"news.example","source_id":12,"attributed_on_site":"shop.example","#
    + #""trigger_data":3,"version":3"#

  private func endpoint() throws -> ReportEndpoint {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/tokens/signing-key-2048.pem")
    let key = try TokenPrivateKey(pem: String(contentsOf: file, encoding: .utf8))
    return ReportEndpoint(
      keys: KeyRing(common: KeySeries(current: key)), appAds: try AppAds(), now: { Instant(milliseconds: 0) },
      record: { _ in })
  }

  private func request(_ body: String, _ kind: ReceivedRequest.Kind = .report) -> ReceivedRequest {
    ReceivedRequest(kind: kind, host: "news.example", method: "POST", path: "/", headers: [], body: Array(body.utf8))
  }

  @Test func eachVerdictIsOneLine() async throws {
    let endpoint = try endpoint()
    let token = #","source_secret_token":"AAAA","source_secret_token_signature":"AAAA"}"#
    for body in [Self.report + "}", Self.report + token, #"{"source_engagement_type":"click"}"#, "no\u{1B}\njson"] {
      _ = try? await endpoint.takeReport(request(body))
    }
    await endpoint.note(request("{}"), fault: InjectedFault(.status))
    await endpoint.note(request("{}", .key), fault: nil)
    let lines = await endpoint.entries(after: 0, kinds: [], limit: 10).map { ReportLine($0)?.text }
    let values = "news.example to shop.example, source_id 12, trigger_data 3, version 3"
    #expect(lines[0] == "report 1 at news.example: accepted, \(values)")
    #expect(lines[1]?.hasPrefix("report 2 at news.example: forged, \(values), source token rejected: ") == true, "\(lines)")
    #expect(lines[2]?.hasPrefix("report 3 at news.example: rejected, ") == true, "\(lines)")
    #expect(lines[3]?.hasPrefix("report 4 at news.example: rejected, ") == true, "\(lines)")
    #expect(lines[4] == "report 5 at news.example: not processed, fault status")
    #expect(lines[5] == nil)
    #expect(lines.compactMap(\.self).allSatisfy { !$0.contains("\n") })
  }
}
