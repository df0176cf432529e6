import Foundation
import PCMCore
import PCMNetwork
import ServiceSupport
import Testing

/// `pcm-browser receive` as senders and testers meet it: over TLS.
@Suite(.timeLimit(.minutes(10))) struct ReceiveTests {
  @Test func aReportIsKeptListedAndWrittenDown() async throws {
    try await ReceiveStage.run { stage async throws in
      let exchange = await stage.report()
      #expect(exchange.httpStatus == 200)
      #expect(exchange.httpVersion == "2")
      #expect(await stage.send(.post, ReceiveStage.folder + "report-attribution/", "{").httpStatus == 400)
      #expect(await stage.send(.get, ReceiveStage.folder + "report-attribution/").httpStatus == 405)
      let large = #"{"a":""# + String(repeating: "x", count: 70_000) + #""}"#
      #expect(await stage.send(.post, ReceiveStage.folder + "report-attribution/", large).httpStatus == 413)
      let entries = try await stage.entries()
      #expect(entries.map(\.verdict) == ["accepted", "refused"])
      #expect(entries.first?.host == "news.example")
      #expect(entries.first?.body == Stage.body)
      let lines = try String(contentsOfFile: stage.files.path + "/reports.jsonl", encoding: .utf8).split(separator: "\n")
      #expect(lines.count == 2)
      #expect(try await stage.admin("DELETE", "reports").status == 204)
      #expect(try await stage.entries().isEmpty)
    }
  }

  @Test func aRotatedKeyIsServedAndKeptAndTheOldOneIsNotForgotten() async throws {
    try await ReceiveStage.run { stage async throws in
      let path = ReceiveStage.folder + "get-token-public-key/"
      let before = await stage.send(.get, path).member("token_public_key")
      #expect(try await stage.admin("POST", "keys/rotate").status == 200)
      let after = await stage.send(.get, path).member("token_public_key")
      #expect(before != nil && after != nil && before != after)
      stage.process.terminate()
      #expect(await stage.process.status() == 0)
      let second = try await ServiceProcess(receiving: ReceiveStage.arguments(stage.files))
      let stage = ReceiveStage(process: second, files: stage.files, transport: stage.transport, client: stage.client)
      #expect(await stage.send(.get, path).member("token_public_key") == after)
      // The restarted process has a new authority. The transport reads the file for each connection.
      let file = try String(contentsOfFile: stage.files.path + "/key.pem", encoding: .utf8)
      #expect(file.components(separatedBy: "BEGIN PRIVATE KEY").count == 3)
      let mode = try FileManager.default.attributesOfItem(atPath: stage.files.path + "/key.pem")[.posixPermissions] as? Int
      #expect(mode == 0o600)
      second.terminate()
      #expect(await second.status() == 0)
    }
  }
}
