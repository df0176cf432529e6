import PCMCore
import PCMPages
import Testing

/// The report endpoint's page and its parts, with text from outside escaped.
@Suite struct ReceiverViewTests {
  private static func received(_ text: String) -> String {
    let jws = ["{}", "{}"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    let body: JSON = ["jws-string": .string(jws), "text": .string(text)]
    let request: JSON = [
      "number": 7, "at": "2026-02-02T02:40:00.000Z", "kind": "report", "host": .string(text),
      "method": .string(text), "path": "/report", "headers": [["name": .string(text), "value": .string(text)]],
      "body": .string(body.text), "verdict": "accepted", "code": .string(text), "detail": .string(text),
      "tokens": ["source": ["verdict": "verified", "keyId": .string(text)], "destination": .null],
      "postback": ["verdict": .string(text), "key": .string(text)], "fault": .string(text),
    ]
    return ReceivedView.markup([(request, body: body.bytes)], hasMore: true, isFiltered: false).text
  }

  private static func faults(_ text: String) -> String {
    FaultsView.markup([["fault": .string(text), "on": .string(text), "host": .string(text), "times": 1]]).text
  }

  @Test func theViewsAreAsRecorded() throws {
    try GoldenPage.expect(ReceiverPage.html(kinds: ["report", "postback"], faults: ["status"]), isAs: "receive.html")
    try GoldenPage.expect(Self.received("news.example/report"), isAs: "received.html")
    try GoldenPage.expect(Self.faults("report"), isAs: "faults.html")
    try GoldenPage.expect(DocumentationPage.html, isAs: "docs.html")
  }

  /// Each byte is replaced by a character of three bytes.
  @Test func aLongBodyIsCutAndTheBytesReceivedAreCounted() {
    let request: (JSON, body: [UInt8]) = ([:], [UInt8](repeating: 0xFF, count: 4_100))
    let view = ReceivedView.markup([request], hasMore: false, isFiltered: false).text
    #expect(view.count { $0 == "\u{FFFD}" } == 4_096)
    #expect(view.contains("… 4 more bytes in GET /admin/requests"))
  }

  @Test(arguments: ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</pre></details>"])
  func textFromOutsideIsEscaped(_ text: String) {
    for (view, clean) in [
      (Self.received(text), Self.received("text")),
      (Self.faults(text), Self.faults("text")),
    ] {
      #expect(view.count { $0 == "<" } == clean.count { $0 == "<" }, "\(view)")
      #expect(view.count { $0 == "\"" } == clean.count { $0 == "\"" }, "\(view)")
    }
  }
}
