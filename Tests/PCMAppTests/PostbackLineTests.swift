import Foundation
import PCMCore
import PCMCrypto
import PCMEndpoint
import Testing

@testable import PCMApp

/// The lines of `receive` about postbacks.
@Suite struct PostbackLineTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures")

  private func text(_ file: String) throws -> String {
    try String(contentsOf: Self.fixtures.appendingPathComponent(file), encoding: .utf8)
  }

  private func endpoint() throws -> ReportEndpoint {
    let key = try TokenPrivateKey(pem: text("tokens/signing-key-2048.pem"))
    return ReportEndpoint(
      keys: KeyRing(common: KeySeries(current: key)), appAds: try AppAds(), now: { Instant(milliseconds: 0) },
      record: { _ in })
  }

  /// The lines about postbacks with these bodies, at one endpoint.
  private func lines(_ bodies: [String]) async throws -> [String] {
    let endpoint = try endpoint()
    for body in bodies { _ = try? await endpoint.takePostback(request(body), for: nil) }
    return await endpoint.entries(after: 0, kinds: [], limit: 10).compactMap { PostbackLine($0)?.text }
  }

  private func request(_ body: String, _ kind: ReceivedRequest.Kind = .postback) -> ReceivedRequest {
    ReceivedRequest(
      kind: kind, host: "news.example", method: "POST", path: "/postbacks", headers: [], body: Array(body.utf8))
  }

  @Test func eachVerdictIsOneLine() async throws {
    let valid = try text("device/vectors/postback-v3.0-a.json")
    let changed = valid.replacing(#""conversion-value": 20"#, with: #""conversion-value": 63"#)
    let found = try await lines([
      valid, changed, text("device/vectors/aak-postback.json"), valid.replacing("3.0", with: "9.9"),
      text("device/vectors/postback-n2.1-a.json"), "{}",
    ])
    let identity = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28 index 0"
    let kit = "85546EB7-FD39-44BC-8990-C98A4AC36A49 index 0, development, key apple-development-identifier/1"
    #expect(
      found == [
        "postback 1 at news.example: valid, SKAdNetwork 3.0, \(identity), production, key apple-skadnetwork-p256",
        "postback 2 at news.example: duplicate of 1, SKAdNetwork 3.0, \(identity), production, key apple-skadnetwork-p256, "
          + "the first copy counts: conversion-value differs",
        "postback 3 at news.example: valid, AdAttributionKit, \(kit)",
        "postback 4 at news.example: unverifiable, SKAdNetwork 9.9, \(identity), /version: The version \"9.9\" is unknown. "
          + "Known versions: 1.0, 2.0, 2.1, 2.2, 3.0, 4.0.",
        "postback 5 at news.example: invalid, SKAdNetwork 2.1, \(identity), key apple-skadnetwork-p256, "
          + "/attribution-signature: The signature does not verify over the signed text with the key apple-skadnetwork-p256.",
        "postback 6 at news.example: rejected, The object is not a postback: it has neither attribution-signature nor "
          + "jws-string.",
      ])
  }

  @Test func untrustedTextStaysOnItsLine() async throws {
    let name = #"\u001b[2J\n"# + String(repeating: "x", count: 2_000)
    let line = try #require(await lines([#"{"version":"\#(name)","transaction-id":"\#(name)"}"#]).first)
    #expect(line.contains(#"\u{1B}[2J xxx"#) && !line.contains("\n") && line.hasSuffix("…"))
    #expect(line.unicodeScalars.count == 1_000)
  }

  @Test func otherRequestsHaveNoLine() async throws {
    let endpoint = try endpoint()
    await endpoint.note(request("", .report), fault: nil)
    await endpoint.note(request(""), fault: InjectedFault(.status))
    let lines = await endpoint.entries(after: 0, kinds: [], limit: 10).map { PostbackLine($0)?.text }
    #expect(lines == [nil, "postback 2 at news.example: not processed, fault status"])
  }
}
