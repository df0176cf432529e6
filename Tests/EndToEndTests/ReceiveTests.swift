import Foundation
import PCMCore
import PCMCrypto
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

  @Test func aTokenGoesAllTheWay() async throws {
    try await ReceiveStage.run { stage async throws in
      let minted = try await stage.admin("POST", "nonces", #"{"mint":1}"#)
      let nonce = try #require(try JSONDecoder().decode([String: [String]].self, from: Data(minted.text.utf8))["nonces"]?.first)
      let wire = try #require(await stage.send(.get, ReceiveStage.folder + "get-token-public-key/").member("token_public_key"))
      let key = try TokenPublicKey(wire: wire)
      let blinded = try UnlinkableToken(bytes: [UInt8](repeating: 9, count: 32)).blind(with: key)
      let request = """
        {"source_engagement_type":"click","source_nonce":"\(nonce)",\
        "source_unlinkable_token":"\(Base64URL.encode(blinded.blindedMessage))","version":3}
        """
      let sign = ReceiveStage.folder + "sign-unlinkable-token/"
      let answer = try #require(await stage.send(.post, sign, request).member("unlinkable_token"))
      let signed = try blinded.finalize(blindSignature: try #require(Base64URL.decode(answer)))
      let again = await stage.send(.post, sign, request)
      #expect(again.httpStatus == 409)
      #expect(again.contentType == "application/problem+json")
      #expect(again.member("type") == "urn:pcm-browser:problem:nonce-used")
      let report =
        Stage.body.dropLast()
        + #","source_secret_token":"\#(Base64URL.encode(signed.token.bytes))","#
        + #""source_secret_token_signature":"\#(Base64URL.encode(signed.signature))"}"#
      for host in ["news.example", "shop.example", "news.example"] {
        #expect(
          await stage.send(.post, ReceiveStage.folder + "report-attribution/", String(report), host: host).httpStatus == 200)
      }
      let entries = try await stage.entries()
      #expect(entries.map(\.verdict) == ["accepted", "accepted", "duplicate"])
      #expect(entries.map { $0.tokens["source"]??.verdict } == ["verified", "verified", "duplicate"])
    }
  }

  @Test func theServiceSendsItsReportsHere() async throws {
    try await ReceiveStage.run { stage async throws in
      let service = try await ServiceProcess(
        data: stage.files.path + "/data", "--connect-to", "::127.0.0.1:\(stage.process.port)", "--ca-file",
        stage.files.path + "/ca.pem")
      try await Stage.prepare(service, seed: "receive")
      _ = try await service.call("POST", "\(Stage.browser)/event-attributions", Stage.click)
      _ = try await service.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger)
      _ = try await service.call("POST", "\(Stage.browser)/clock/advance", #"{"by":"PT48H"}"#)
      service.terminate()
      #expect(await service.status() == 0)
      let entries = try await stage.entries()
      #expect(Set(entries.map(\.host)) == ["news.example", "shop.example"])
      #expect(entries.map(\.verdict) == ["accepted", "accepted"])
      #expect(entries.map(\.body) == [Stage.body, Stage.body])
    }
  }

  @Test func theHelpNamesEveryFault() async throws {
    let help = try await ServiceProcess.run(["receive", "--help"])
    #expect(help.status == 0)
    for fault in [
      "reset-before-body", "stream-reset", "wrong-key", "short-signature", "truncated", "wrong-content-type", "wrong-nonce",
      "wrong-source-domain", "wrong-version",
    ] {
      #expect(help.output.contains(fault), "\(fault) in \(help.output)")
    }
  }

  @Test func aPixelRedirectsToATrigger() async throws {
    try await ReceiveStage.run { stage async throws in
      let pixel = await stage.send(.get, "/pixel?data=12&priority=3&source=https%3A%2F%2Fnews.example")
      #expect(pixel.httpStatus == 302)
      let location = try #require(pixel.location)
      #expect(location == ReceiveStage.folder + "trigger-attribution/12/03?attributionSource=https%3A%2F%2Fnews.example")
      #expect(await stage.send(.get, location).httpStatus == 204)
      #expect(await stage.send(.get, ReceiveStage.folder + "trigger-attribution/16").httpStatus == 400)
      #expect(await stage.send(.get, "/pixel?data=x").httpStatus == 400)
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

  @Test(
    arguments: [
      ["--certificate", "/nonexistent"], ["--key-bits", "1024"], ["--port", "70000"], ["--key", "/nonexistent/key.pem"],
      ["--ca-out", "/nonexistent/ca.pem", "--key-bits", "2048"], ["--admin-token", ""], ["--postback-path", "admin"],
      ["--postback-key", "/nonexistent/key.pem"],
    ])
  func whatCannotStartSaysSo(_ arguments: [String]) async throws {
    #expect(try await ServiceProcess.run(["receive", "--port", "0", "--key-bits", "2048"] + arguments).status == 2)
  }
}
