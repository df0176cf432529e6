import Foundation
import PCMCore
import PCMReceiver
import PCMSignatures
import Testing

/// An endpoint and `verify` have the same verdict on each postback of the fixtures and of the fuzzer's corpus.
@Suite struct PostbackAgreementTests {
  @Test(
    "An endpoint counts what is valid, and nothing else", arguments: ["device/vectors", "device/cases", "fuzz/signed-item"])
  func files(_ name: String) async throws {
    let folder = ReceiverFixture.folder.appendingPathComponent(name)
    let verifiers = [try SignatureVerifier(.apple), try SignatureVerifier(.test)]
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let bytes = try [UInt8](Data(contentsOf: file))
      guard let body = String(validating: bytes, as: UTF8.self), case .object? = JSON(parsing: bytes, keepingNumbers: true)
      else { continue }
      let verdicts = verifiers.map { $0.verdict(on: bytes) }
      let isPostback = verdicts.contains { $0.subject == .postback }
      let isCounted = await isCounted(body, at: try ReceiverFixture.endpoint())
      let isValid = isPostback && verdicts.contains { $0.outcome == .valid }
      #expect(isCounted == isValid, "\(file.lastPathComponent): \(verdicts.map(\.faults))")
      count += isPostback ? 1 : 0
    }
    #expect(count > 2)
  }

  private func isCounted(_ body: String, at endpoint: ReportEndpoint) async -> Bool {
    do throws(RequestError) {
      return try await PostbackFixture.take(body, at: endpoint).outcome == .accepted
    } catch {
      return false
    }
  }
}
