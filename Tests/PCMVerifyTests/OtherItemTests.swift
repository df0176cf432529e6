import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

/// Inputs in place of an item are named, and forms, requests, and tokens are read.
@Suite struct OtherItemTests {
  private func verdict(_ text: String, _ keys: VerificationKeys = .apple) throws -> SignatureVerdict {
    try SignatureVerifier(keys).verdict(on: Array(text.utf8))
  }

  private static let token = "eyJhbGciOiJFUzI1NiIsIng1YyI6WyJNSUlCIl19"

  /// A JSON Web Signature of the App Store with a payload.
  private static func storeToken(_ payload: String) -> String {
    [token, Base64URL.encode(Array(payload.utf8)), Base64URL.encode([UInt8](repeating: 1, count: 64))].joined(separator: ".")
  }

  private static let others: [(String, String)] = [
    (#"{"signedPayload":"a.b.c"}"#, "a notification of the App Store (App Store Server Notifications, version 2)"),
    (#"{"notificationType":"SUBSCRIBED","version":"2.0","data":{}}"#, "a notification of the App Store"),
    (#"{"body":"{\"signedPayload\":\"a.b.c\"}","headers":{}}"#, "a notification of the App Store"),
    (#"{"alg":"ES256","kid":"a"}"#, "the header of a JSON Web Signature"),
    (#"{"signedTransactionInfo":"a.b.c"}"#, "a response of the App Store Server API"),
    (#"{"revision":"1","signedTransactions":["a.b.c"]}"#, "a response of the App Store Server API"),
    (#"{"notification_type":"RENEWAL","latest_receipt":"x"}"#, "App Store Server Notifications, version 1"),
    (#"{"transactionId":"1","bundleId":"com.example"}"#, "a transaction of the App Store"),
    (storeToken(#"{"notificationType":"SUBSCRIBED"}"#), "a notification of the App Store"),
    (storeToken(#"{"transactionId":"1","bundleId":"com.example"}"#), "a transaction of the App Store"),
    (storeToken(#"{"x":1}"#), "x5c"),
    (#"{"source_engagement_type":"click","source_site":"a.example","source_id":4,"version":3}"#, "a report of a click"),
    (#"{"source_engagement_type":"click_to_App_Store","source_nonce":"a"}"#, "request for the signed values of a web ad"),
    (#"{"source_engagement_type":"click","source_unlinkable_token":"a"}"#, "request for the signature of a token"),
    (#"{"attribution_destination":"https://a.example","report_id":"1"}"#, "Chromium's Attribution Reporting"),
  ]

  @Test("Messages that are no postbacks are named", arguments: others.indices)
  func otherMessages(_ index: Int) throws {
    let (text, part) = Self.others[index]
    let verdict = try verdict(text)
    #expect(verdict.outcome == .invalid && verdict.framework == nil)
    #expect(verdict.faults.first?.detail.contains(part) == true, "\(text): \(verdict.faults)")
    #expect(verdict.fix != nil)
  }

  @Test(
    "The inputs that people met are named",
    arguments: [
      ("x-pcm-report.json", "a report of a click"), ("x-store-notification.json", "a notification of the App Store"),
      ("a-parsed.json", "a decoded JSON Web Signature: /payload"), ("u-form.txt", "is a form"),
    ])
  func metInputs(_ file: String, _ part: String) throws {
    let verdict = try SignatureVerifier(.test).verdict(on: DeviceFixtures.bytes("cases/\(file)"))
    #expect(verdict.outcome == .invalid)
    #expect(verdict.faults.first?.detail.contains(part) == true, "\(verdict.faults)")
  }

  @Test(
    "A decoded token is named in each spelling",
    arguments: [
      #"{"header":{},"payload":PAYLOAD,"signature":"x"}"#, #"{"header":{},"claims":PAYLOAD}"#, #"{"jws":{"payload":PAYLOAD}}"#,
      #"{"decoded":PAYLOAD,"conversion-value":4}"#, #"{"jws-string":{"header":{},"payload":PAYLOAD}}"#,
      #"{"jws-string":PAYLOAD}"#,
      "PAYLOAD", #"{"payload":{"adNetworkIdentifier":"a.skadnetwork","didWin":true,"conversionType":"download"}}"#,
    ])
  func decoded(_ text: String) throws {
    let payload = #"{"postback-identifier":"85546EB7-FD39-44BC-8990-C98A4AC36A49","did-win":true}"#
    let verdict = try verdict(text.replacing("PAYLOAD", with: payload))
    #expect(verdict.outcome == .invalid)
    #expect(verdict.fix?.contains("The signature is over the encoded form") == true, "\(verdict.faults)")
  }

  @Test(
    "The nearest key of an unknown kid is named",
    arguments: [
      ("apple-cas-identifier", "apple-cas-identifier/0"), ("apple-cas-identifier/1", "apple-cas-identifier/0"),
      ("apple-development-identifier", "apple-development-identifier/0 or apple-development-identifier/1"),
      ("apple-cas-identifer/0", "apple-cas-identifier/0"), ("other/0", nil),
    ] as [(String, String?)])
  func nearestKey(_ kid: String, _ nearest: String?) throws {
    let jws = try DeviceFixtures.text("vectors/aak-postback.jws").replacing("\n", with: "")
    let header = Base64URL.encode(JSON.object([.init("kid", .string(kid)), .init("alg", "ES256")]).bytes)
    let verdict = try verdict(#"{"jws-string":"\#(header + jws.drop { $0 != "." })"}"#)
    #expect(verdict.outcome == .unverifiable)
    let detail = verdict.faults.first?.detail ?? ""
    #expect(detail.contains("The nearest name is \(nearest ?? "")") == (nearest != nil), "\(detail)")
  }

  @Test("The kid without its number is named")
  func metKid() throws {
    let verdict = try SignatureVerifier(.apple).verdict(on: DeviceFixtures.bytes("cases/a-kid-without-index.json"))
    #expect(verdict.faults.first?.detail.contains("The nearest name is apple-cas-identifier/0") == true)
  }

  // MARK: Requests, forms, and tokens

  private static let requests: [(String, String)] = [
    ("request line", "POST /postbacks HTTP/1.1\nHost: x\nContent-Type: application/json\n\n"),
    ("header lines", "Host: x\nContent-Type: application/json\n\n"),
    ("response", "HTTP/2 200\ncontent-type: application/json\n\n"),
    ("pseudo-headers", ":method: POST\n:path: /postbacks\ncontent-type: application/json\n\n"),
    ("no empty line", "POST /postbacks HTTP/1.1\nHost: x\n"), ("curl -v", "> POST /postbacks HTTP/1.1\n> Host: x\n>\n"),
    ("no version", "POST /postbacks\nHost: x\n\n"),
  ]

  @Test("A request is read with its header lines, with LF and CRLF", arguments: requests.indices, ["\n", "\r\n"])
  func request(_ index: Int, _ newline: String) throws {
    let head = Self.requests[index].1.replacing("\n", with: newline)
    let postback = try DeviceFixtures.text("vectors/postback-v4.0-a.json")
    let jws = try DeviceFixtures.text("vectors/aak-postback.jws")
    let form = "postback=" + PercentEncoding.component.encode(postback)
    for body in [
      postback, postback.replacing("{", with: "{\(newline)"), jws, form, #"{"jws-string":"\#(jws.filter { $0 != "\n" })"}"#,
    ] {
      let verdict = try verdict(head + body)
      #expect(
        verdict.faults.first?.detail.hasPrefix("The item is a request with its header lines") == true, "\(verdict.faults)")
      #expect(verdict.check == .verifies && verdict.fix?.contains("the signature verifies") == true, "\(verdict.fix ?? "")")
    }
  }

  @Test("The input with its header lines is read")
  func metRequest() throws {
    let verdict = try SignatureVerifier(.apple).verdict(on: DeviceFixtures.bytes("cases/u-http-request.txt"))
    #expect(
      verdict.fix == "The item is a request with its header lines; without them the signature verifies. Pass the body alone.")
  }

  @Test("A request without a body has its token in Authorization, or its postback in the query")
  func bodyless() throws {
    let jws = try DeviceFixtures.text("vectors/aak-postback.jws").replacing("\n", with: "")
    for text in [
      "GET /a?jws=\(jws) HTTP/1.1\nHost: x\n\n", "POST /a HTTP/1.1\nAuthorization: Bearer \(jws)\n\n",
      "Authorization: Bearer \(jws)",
    ] {
      #expect(try verdict(text).check == .verifies, "\(text)")
    }
  }

  @Test("A request with another message names the message")
  func requestWithReport() throws {
    let report = #"{"source_engagement_type":"click","source_site":"a.example"}"#
    let details = try verdict("POST /a HTTP/1.1\nHost: x\n\n" + report).faults.map(\.detail)
    #expect(details.count == 2 && details.last?.contains("a report of a click") == true, "\(details)")
  }

  @Test(
    "A form is named, with its missing parts", arguments: ["app-id=1", "a=1&b=2", "version=3.0&ad-network-id=a.skadnetwork"])
  func form(_ text: String) throws {
    let verdict = try verdict(text)
    #expect(verdict.faults.first?.detail.hasPrefix("The item is a form and not JSON.") == true, "\(verdict.faults)")
    #expect(verdict.fix?.contains("JSON, with attribution-signature or jws-string") == true)
  }

  @Test(
    "A token is read after a name",
    arguments: [
      "jws=TOKEN", "jws-string: TOKEN", "token=TOKEN", "Bearer TOKEN", "Authorization: Bearer TOKEN", "jws=Bearer TOKEN",
    ])
  func token(_ text: String) throws {
    let jws = try DeviceFixtures.text("vectors/aak-postback.jws").replacing("\n", with: "")
    let verdict = try verdict(text.replacing("TOKEN", with: jws))
    #expect(verdict.check == .verifies && verdict.fix?.contains("the signature verifies") == true, "\(verdict.faults)")
  }

  @Test("The token after jws= is read, and so are the members beside it in a form")
  func metToken() throws {
    let verdict = try SignatureVerifier(.test).verdict(on: DeviceFixtures.bytes("cases/j-bearer.jws"))
    #expect(verdict.subject == .impression && verdict.check == .verifies)
    #expect(verdict.fix?.contains("a token after a name, as in jws=") == true, "\(verdict.fix ?? "")")
    let jws = try DeviceFixtures.text("vectors/aak-postback.jws").replacing("\n", with: "")
    let form = try self.verdict("jws=\(jws)&conversion-value=42&ad-interaction-type=click")
    #expect(form.check == .verifies && form.unsigned.map(\.name) == ["conversion-value", "ad-interaction-type"])
    let request = try self.verdict("POST /a HTTP/1.1\nHost: x\n\njws-string=\(jws)&conversion-value=42")
    #expect(request.check == .verifies && request.unsigned.map(\.name) == ["conversion-value"])
  }

  @Test(
    "A signed member with few values that a forwarder dropped is found",
    arguments: [
      (.v3, ["redownload"]), (.v3, ["did-win"]), (.v22, ["fidelity-type"]), (.v4, ["postback-sequence-index"]),
      (.v4, ["redownload", "did-win"]),
    ] as [(SKAdNetworkVersion, [String])])
  func dropped(_ version: SKAdNetworkVersion, _ names: [String]) throws {
    let members = try SKAdNetworkPostback.signedSample(version).filter { !names.contains($0.name) }
    let verdict = try DeviceFixtures.verifier(version).verdict(on: JSON.object(members).bytes)
    #expect(verdict.outcome == .invalid)
    #expect(
      verdict.fix?.contains("the signature verifies. Keep \(names[0]) with the other members.") == true, "\(verdict.fix ?? "")")
    let changed = JSON.object(members.setting("app-id", 7)).bytes
    #expect(try DeviceFixtures.verifier(version).verdict(on: changed).fix == nil)
  }

  @Test("The postback without redownload verifies with it")
  func metDropped() throws {
    let verdict = try SignatureVerifier(.apple).verdict(on: DeviceFixtures.bytes("cases/u-redownload-dropped.json"))
    #expect(
      verdict.fix
        == "redownload is missing; with redownload true the signature verifies. Keep redownload with the other members.")
    let withTestKeys = try SignatureVerifier(.test).verdict(on: DeviceFixtures.bytes("cases/u-redownload-dropped.json"))
    #expect(withTestKeys.fix?.contains("with redownload true the signature verifies") == true, "\(withTestKeys.fix ?? "")")
    #expect(withTestKeys.fix?.contains("without --test-keys") == true, "\(withTestKeys.fix ?? "")")
  }
}
