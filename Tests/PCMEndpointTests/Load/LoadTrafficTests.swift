import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMNetwork
import PCMVerify
import Testing

@Suite struct LoadTrafficTests {
  private static func messages(_ kind: TrafficKind, _ change: (inout LoadOptions) -> Void = { _ in }) throws -> [LoadMessage] {
    var options = try LoadStage.options(kind, rate: 1_500, for: .seconds(1))
    change(&options)
    var traffic = try LoadTraffic(options)
    // In parts, as the run takes them.
    var messages: [LoadMessage] = []
    while case let part = try traffic.next(400), !part.isEmpty { messages += part }
    return messages
  }

  @Test("Postbacks verify with the test keys, and forged ones do not")
  func signatures() throws {
    let messages = try Self.messages(.mixed) { ($0.duplicates, $0.forged) = (0.1, 0.1) }
    #expect(messages.map(\.number) == Array(0..<1_500))
    let verifier = try SignatureVerifier(.test)
    for message in messages where message.kind != .report {
      let verdict = verifier.verdict(on: message.request.body ?? [])
      #expect(verdict.outcome == (message.form == .forged ? .invalid : .valid), "\(message.number) \(verdict)")
      #expect(verdict.framework == message.kind.framework)
    }
    let counts = Dictionary(grouping: messages) { $0.kind }.mapValues(\.count)
    #expect((650...850).contains(counts[.report] ?? 0) && (200...400).contains(counts[.adattributionkit] ?? 0))
    let forms = Dictionary(grouping: messages.filter { $0.kind != .report }) { $0.form }.mapValues(\.count)
    #expect((40...120).contains(forms[.forged] ?? 0) && (40...120).contains(forms[.duplicate] ?? 0))
  }

  @Test(
    "Each postback is distinct, and a duplicate has the bytes of an earlier one",
    arguments: [TrafficKind.skadnetwork, .adattributionkit])
  func duplicates(_ kind: TrafficKind) throws {
    var earlier: Set<[UInt8]> = []
    for message in try Self.messages(kind, { $0.duplicates = 0.2 }) {
      let isNew = earlier.insert(message.request.body ?? []).inserted
      #expect(isNew == (message.form == .ordinary), "\(message.number)")
    }
  }

  @Test("The same seed plans the same values, and another seed others")
  func seed() throws {
    let reports = try Self.messages(.report).map(\.request)
    #expect(try Self.messages(.report).map(\.request) == reports)
    #expect(try Self.messages(.report) { $0.seed = 8 }.map(\.request) != reports)
    let forms = try Self.messages(.mixed) { $0.forged = 0.5 }.map(\.form)
    #expect(try Self.messages(.mixed) { $0.forged = 0.5 }.map(\.form) == forms)
  }

  @Test("Reports have the bytes and headers of a browser, and only the given values")
  func reports() throws {
    let messages = try Self.messages(.report) { $0.subjects = ReportSubjects(sourceIDs: [12, 40], triggerData: [7]) }
    let bodies = Set(messages.map { String(decoding: $0.request.body ?? [], as: UTF8.self) })
    #expect(
      bodies
        == Set(
          [12, 40].map { id in
            #"{"source_engagement_type":"click","source_site":"news.example","source_id":\#(id),"#
              + #""attributed_on_site":"destination.example","trigger_data":7,"version":3}"#
          }))
    let url = "https://news.example/.well-known/private-click-measurement/report-attribution/"
    #expect(
      messages.allSatisfy {
        $0.request == BrowserRequest.report(url: url, body: String(decoding: $0.request.body ?? [], as: UTF8.self))
      })
  }

  @Test(
    "Messages go to the well-known paths, or postbacks to the URL",
    arguments: [
      ("https://www.news.example/", "https://news.example/.well-known/skadnetwork/report-attribution/"),
      ("https://ads.news.example/p?x=1", "https://ads.news.example/p?x=1"),
    ])
  func urls(_ endpoint: String, _ url: String) throws {
    let options = try LoadStage.options(.mixed, endpoint)
    #expect(options.urls.contains(url))
    var traffic = try LoadTraffic(options)
    #expect(Set(try traffic.next(1_000).map(\.request.url)) == Set(options.urls))
  }
}
