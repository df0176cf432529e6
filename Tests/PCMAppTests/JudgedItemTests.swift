import Foundation
import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

@testable import PCMApp

/// The verdicts on the lines of a log.
@Suite struct JudgedItemTests {
  private let judge: ItemJudge

  init() throws {
    judge = ItemJudge(verifier: try SignatureVerifier(.test), tokenKeys: [:])
  }

  private static func item() throws -> JSON { .object(try SKAdNetworkPostback.signedSample(.v4)) }

  private func judged(_ line: String, isList: Bool = true) -> [JudgedItem] {
    judge.items(in: SignedItem(file: "f", line: isList ? 3 : nil, bytes: Array(line.utf8)), isList: isList)
  }

  /// A message as a subscription of CloudWatch delivers it: JSON in gzip in Base64.
  private static func subscription(_ message: String, _ envelope: (JSON) -> JSON) -> JSON {
    let events: JSON = [
      "messageType": "DATA_MESSAGE", "logEvents": [["id": "1", "timestamp": 1, "message": .string(message)]],
    ]
    return envelope(.string(Base64.encode(gzip(events.bytes))))
  }

  /// Gzip of one stored block (RFC 1951, section 3.2.4).
  private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    func little(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    let checksum = bytes.reduce(~UInt32(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1] + little(bytes.count, 2) + little(~bytes.count, 2) + bytes
      + little(Int(~checksum), 4) + little(bytes.count, 4)
  }

  @Test("A postback is found in the envelopes of log collectors and of receive")
  func envelopes() throws {
    let item = try Self.item().text
    let body = (["body": .string(item)] as JSON).text
    let envelopes: [(String, JSON)] = [
      ("#/log", ["log": .string(item + "\n"), "stream": "stdout", "time": "2026-11-29T00:00:00Z"]),
      ("#/log", ["date": 1, "log": .string("INFO received " + item), "kubernetes": ["labels": ["app": "x"]]]),
      ("#/message", ["timestamp": 1, "message": .string(item), "ingestionTime": 2]),
      ("#/logEvents/0/message", ["messageType": "DATA_MESSAGE", "logEvents": [["id": "1", "message": .string(item)]]]),
      ("#/awslogs/data/logEvents/0/message", Self.subscription(item) { ["awslogs": ["data": $0]] }),
      ("#/Records/0/kinesis/data/logEvents/0/message", Self.subscription(item) { ["Records": [["kinesis": ["data": $0]]]] }),
      ("#/awslogs/data/logEvents/0/message/body", Self.subscription(body) { ["awslogs": ["data": $0]] }),
      ("#/results/0/1/value", ["results": [[["field": "@timestamp"], ["field": "@message", "value": .string(item)]]]]),
      (
        "#/body",
        [
          "number": 1, "kind": "postback", "host": "a.example", "path": "/p?q", "headers": [["name": "a", "value": "b"]],
          "body": .string(item),
          "postback": ["signedText": "4.0", "unsigned": ["conversion-value": 20], "signature": "verifies"],
        ]
      ),
    ]
    for (place, envelope) in envelopes {
      let found = judged(envelope.text)
      #expect(found.map(\.name) == ["f:3\(place)"] && found.map(\.outcome) == [.valid], "\(envelope.text)")
    }
    let plain = try #require(judged(item).first)
    for prefix in ["2026-11-29T00:00:00Z stdout F ", "[2026-11-29] INFO postback: ", "web-1  | "] {
      #expect(judged(prefix + item).map(\.identities) == [plain.identities])
    }
    #expect(judged(envelopes[8].1.text).first?.identities != plain.identities)
  }

  @Test(
    "Only a postback and an impression can be invalid because of a signature",
    arguments: [
      ("GET /health 200", .neither), ("{\"level\":\"info\"}", .neither), ("{\"level\":", .invalid), ("[{\"a\":}]", .invalid),
      ("[1] started", .neither), ("{\"signedPayload\":\"a.b.c\"}", .neither),
      (#"{"source_engagement_type":"click","source_site":"a.example","trigger_data":1}"#, .invalid),
      (
        #"{"source_engagement_type":"click","source_site":"a.example","source_id":1,"attributed_on_site":"b.example","#
          + #""trigger_data":1,"version":3}"#, .notSigned
      ),
    ] as [(String, JudgedItem.Outcome)])
  func otherLines(_ line: String, _ outcome: JudgedItem.Outcome) {
    #expect(judged(line).map(\.outcome) == [outcome], "\(line)")
    #expect(judged(line, isList: false).map(\.outcome) == [outcome == .neither ? .invalid : outcome], "\(line)")
  }

  @Test("A token's key is in the file of an endpoint, or as the endpoint serves it, for one host or all others")
  func tokenKeys() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../Fixtures/tokens").standardized.path()
    let file = "\(folder)/signing-key-2048.pem"
    let key = try TokenPrivateKey(pem: String(contentsOfFile: file, encoding: .utf8))
    let blinded = try UnlinkableToken(bytes: [UInt8](repeating: 7, count: 32)).blind(with: key.publicKey)
    let token = try blinded.finalize(blindSignature: key.sign(blindedMessage: blinded.blindedMessage))
    let report: JSON = [
      "source_engagement_type": "click", "source_site": "news.example", "source_id": 1, "attributed_on_site": "b.example",
      "trigger_data": 1, "version": 3, "source_secret_token": .string(Base64URL.encode(token.token.bytes)),
      "source_secret_token_signature": .string(Base64URL.encode(token.signature)),
    ]
    let other = "\(folder)/rsassa-pss-key.txt"
    for (arguments, outcome) in [
      ([file], JudgedItem.Outcome.valid), (["News.example=\(file)"], .valid), ([other, file], .valid),
      (["news.example=\(file)", other], .valid), ([other], .invalid), (["b.example=\(file)"], .notSigned),
    ] {
      let keys = try TokenKeyFiles.publicKeys(arguments, option: "--token-key")
      let judge = ItemJudge(verifier: judge.verifier, tokenKeys: keys)
      let found = judge.items(in: SignedItem(file: "f", bytes: report.bytes), isList: false)
      #expect(found.map(\.outcome) == [outcome], "\(arguments)")
    }
  }

  @Test("A copy names the place of the first, and the members that differ")
  func copies() throws {
    let members = try SKAdNetworkPostback.signedSample(.v4)
    var log = LogSummary()
    let lines = [members, members, members.setting("conversion-value", 63), members.setting("conversion-value", nil)]
    let found = lines.enumerated().compactMap { index, members -> JudgedItem? in
      let source = SignedItem(file: index == 0 ? "a" : "b", line: index + 5, bytes: JSON.object(members).bytes)
      return judge.items(in: source, isList: true).first.map { log.count($0, of: source) }
    }
    #expect(found.map(\.outcome) == [.valid, .duplicate, .contradiction, .contradiction])
    #expect(
      found.dropFirst().allSatisfy { $0.first?.place == "a:5" && $0.first?.changed.isEmpty == ($0.outcome == .duplicate) })
    let contradiction = try #require(found.last)
    #expect(contradiction.json(isNamed: true).contains(#""duplicateOf":"a:5","changed":["conversion-value"]"#))
    let text = VerdictText(verdict: contradiction.verdict, name: "b:8", judged: contradiction).text
    #expect(text.contains("fault     /conversion-value: conversion-value differs from the first copy, at a:5."), "\(text)")
    #expect(log.isFailure)
    #expect(log.text.hasSuffix("4 items: 1 valid, 2 contradiction, 1 duplicate\n"), "\(log.text)")
  }

  @Test("The summary counts values once, and faults by their kind")
  func summary() throws {
    var log = LogSummary()
    let members = try SKAdNetworkPostback.signedSample(.v4)
    let lines = [members, members, members.setting("app-id", 1), members.setting("app-id", 2)]
    for (index, members) in lines.enumerated() {
      let source = SignedItem(file: "f", line: index + 1, bytes: JSON.object(members).bytes)
      for item in judge.items(in: source, isList: true) { _ = log.count(item, of: source) }
    }
    #expect(log.json["versions"]?.text == #"{"SKAdNetwork 4.0":1}"#)
    #expect(log.json["windows"]?.text == #"{"postback-sequence-index 0":1}"#)
    #expect(log.json["values"]?.text == #"{"conversion-value 20":1}"#)
    #expect(log.json["verdicts"]?.text == #"{"valid":1,"invalid":2,"duplicate":1}"#)
    let faults = try #require(log.json["faults"]?.items)
    #expect(faults.map { $0["count"] } == [2] && faults.map { $0["item"] } == ["f:3"])
    let page = log.html(title: "<a>")
    #expect(page.contains("<b>2</b> invalid") && page.contains("<td>conversion-value 20</td><td>1</td>"), "\(page)")
    #expect(page.contains("<h1>&lt;a&gt; <span class=\"badge bad\">Failed"), "\(page)")
    #expect(log.text.contains("2×        /attribution-signature: The signature does not verify"), "\(log.text)")
  }
}
