import Foundation
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMVerify
import Testing

/// An endpoint and `verify` have the same verdict on each postback of the fixtures and of the fuzzer's corpus.
@Suite struct PostbackAgreementTests {
  @Test(
    "An endpoint counts valid postbacks only",
    arguments: ["device/vectors", "device/cases", "fuzz/signed-item.corpus"])
  func files(_ name: String) async throws {
    let verifiers = [try SignatureVerifier(.apple), try SignatureVerifier(.test)]
    var count = 0
    for (file, bytes) in try Self.inputs(ReceiverFixture.folder.appendingPathComponent(name)) {
      guard let body = String(validating: bytes, as: UTF8.self), case .object? = JSON(parsing: bytes, keepingNumbers: true)
      else { continue }
      let verdicts = verifiers.map { $0.verdict(on: bytes) }
      let isPostback = verdicts.contains { $0.subject == .postback }
      let isCounted = await isCounted(body, at: try ReceiverFixture.endpoint())
      let isValid = isPostback && verdicts.contains { $0.outcome == .valid }
      #expect(isCounted == isValid, "\(file): \(verdicts.map(\.faults))")
      count += isPostback ? 1 : 0
    }
    #expect(count > 2)
  }

  /// The files of a folder, or the inputs of a corpus, each a line in Base64.
  private static func inputs(_ url: URL) throws -> [(name: String, bytes: [UInt8])] {
    guard url.pathExtension == "corpus" else {
      let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
      return try files.map { ($0.lastPathComponent, try [UInt8](Data(contentsOf: $0))) }
    }
    return try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
      .map { (String($0), [UInt8](try #require(Data(base64Encoded: String($0))))) }
  }

  private func isCounted(_ body: String, at endpoint: ReportEndpoint) async -> Bool {
    do throws(RequestError) {
      return try await PostbackFixture.take(body, at: endpoint).outcome == .accepted
    } catch {
      return false
    }
  }
}
