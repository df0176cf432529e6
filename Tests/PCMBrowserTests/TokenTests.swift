import BrowserSupport
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMNetwork
import PCMStore
import Testing

/// Section I of the conformance cases: tokens at the click, at the triggering event and before a report.
@Suite struct TokenTests {
  static let nonce = "ABCDEFabcdef0123456789"
  static let destinationTail = "12?attributionDestinationNonce=\(nonce)"

  private let signer: TokenSigner

  init() throws {
    signer = try TokenSigner()
  }

  private func scene(settings: SettingsChange = SettingsChange(), store: any Store = MemoryStore()) async throws -> Scene {
    let signer = signer
    return try await Scene(
      settings: settings, store: store, transport: ScriptedTransport { request, _ in signer.answer(request) })
  }

  /// The texts of a body's members.
  static func members(_ body: String) throws -> [String: String] {
    let pairs = body.dropFirst().dropLast().split(separator: ",").map { $0.split(separator: ":", maxSplits: 1) }
    return Dictionary(
      uniqueKeysWithValues: try pairs.map { pair in
        (String(try #require(pair.first)).filter { $0 != "\"" }, String(try #require(pair.last)).filter { $0 != "\"" })
      })
  }

  private func verifies(_ members: [String: String], _ party: String) throws -> Bool {
    let token = try #require(members["\(party)_secret_token"].flatMap(Base64URL.decode))
    let signature = try #require(members["\(party)_secret_token_signature"].flatMap(Base64URL.decode))
    return signer.key.publicKey.verifies(signature, over: try UnlinkableToken(bytes: token))
  }

  /// A site's wrong answer to the request for the key, and its code.
  static let badKeys: [(Exchange, String)] = [
    (Exchange(httpStatus: 200), "token-key-invalid"),
    (
      Exchange(httpStatus: 200, contentType: "application/json", body: Array(#"{"token_public_key":""}"#.utf8)),
      "token-key-invalid"
    ),
    (TokenSigner.answer(["token_public_key": "ABCD"]), "token-key-invalid"),
    (TokenSigner.answer(["token_public_key": 7]), "token-key-invalid"),
    (TokenSigner.answer([]), "token-key-invalid"),
    (Exchange(httpStatus: 302, location: "https://other.example/"), "token-key-invalid"),
    (Exchange(failure: TransportFailure(.connectionFailed, "refused")), "token-key-unavailable"),
  ]

  @Test(
    "case 101: without a usable key nothing is signed; the click stays, and the event with a nonce counts for nothing",
    arguments: badKeys)
  func badKey(_ exchange: Exchange, _ code: String) async throws {
    let scene = try await Scene(transport: ScriptedTransport { _, _ in exchange })
    try await scene.click(4, nonce: Self.nonce)
    #expect(await scene.transport.requests.count == 1)
    let failure = try #require(try await scene.browser.events(after: 0, limit: 100).last)
    #expect(failure.kind == .tokenFailed && failure.detail.text.contains(#""code":"\#(code)""#))
    let rejected = try await scene.trigger(Self.destinationTail)
    #expect(rejected.kind == .rejected && rejected.reasons.map(\.code) == ["destination-token-failed"])
    #expect(rejected.reasons.first?.detail.contains(code) == true)
    #expect(try await scene.measurements().unattributed.map(\.click.token) == [nil])
    #expect(try await scene.trigger("12").kind == .attributed)
  }

  @Test(
    "A response is JSON in UTF-8, and the last of duplicate members counts, as in WebKit",
    arguments: [
      (#"{"token_public_key":"KEY","ttl":1.5}"#, true), (#"{"token_public_key":"KEY",}"#, false),
      (#"{"token_public_key":"x","token_public_key":"KEY"}"#, true),
      (#"{"token_public_key":"KEY","token_public_key":"x"}"#, false),
    ])
  func jsonOfResponses(_ text: String, _ isKey: Bool) async throws {
    let body = Array(text.replacing("KEY", with: signer.key.publicKeyWire).utf8)
    let scene = try await Scene(
      transport: ScriptedTransport { _, _ in Exchange(httpStatus: 200, contentType: "application/json", body: body) })
    try await scene.click(4, nonce: Self.nonce)
    // The request for a signature follows a valid key.
    #expect(await scene.transport.requests.count == (isKey ? 2 : 1))
  }

  enum Forgery: CaseIterable {
    case missing, empty, notText, oneBit, oneByteShort, otherAlphabet, noAnswer

    func answer(_ signature: [UInt8]) -> Exchange {
      switch self {
      case .missing: TokenSigner.answer([:])
      case .empty: TokenSigner.answer(["unlinkable_token": ""])
      case .notText: TokenSigner.answer(["unlinkable_token": 1])
      case .oneBit:
        TokenSigner.answer(["unlinkable_token": .string(Base64URL.encode(signature.dropLast() + [(signature.last ?? 0) ^ 1]))])
      case .oneByteShort: TokenSigner.answer(["unlinkable_token": .string(Base64URL.encode(signature.dropLast()))])
      case .otherAlphabet: TokenSigner.answer(["unlinkable_token": "++++"])
      case .noAnswer: Exchange(failure: TransportFailure(.timedOut, "no answer in time"))
      }
    }
  }

  @Test("cases 106, 109 and 113: a missing, forged or wrong-size signature is refused", arguments: Forgery.allCases)
  func forgery(_ forgery: Forgery) async throws {
    let signer = signer
    let scene = try await Scene(
      transport: ScriptedTransport { request, _ in
        BrowserRequest.isSigning(request) ? forgery.answer((try? signer.sign(request)) ?? []) : signer.answer(request)
      })
    let code = forgery == .noAnswer ? "token-signature-unavailable" : "token-signature-invalid"
    try await scene.click(4, nonce: Self.nonce)
    let failure = try #require(try await scene.browser.events(after: 0, limit: 100).last)
    #expect(failure.kind == .tokenFailed && failure.detail.text.contains(#""code":"\#(code)""#))
    let rejected = try await scene.trigger(Self.destinationTail)
    #expect(rejected.kind == .rejected && rejected.reasons.first?.detail.contains(code) == true)
    #expect(try await scene.measurements().unattributed.map(\.click.token) == [nil])
    #expect(try await scene.trigger("12").kind == .attributed)
    _ = try await scene.browser.advance(.untilIdle())
    #expect(try await scene.reports(.delivered).allSatisfy { !$0.body.contains("secret_token") })
  }

  enum Change: CaseIterable {
    case attributed, replaced, cleared
  }

  @Test("a token that comes when its click no longer waits is dropped", arguments: Change.allCases)
  func late(_ change: Change) async throws {
    let (signer, stage) = (signer, Stage())
    let scene = try await Scene(
      transport: ScriptedTransport { request, number in
        if number == 2 { await stage.change(change) }
        return signer.answer(request)
      })
    await stage.set(scene)
    try await scene.click(4, nonce: Self.nonce)
    #expect(await stage.hasChanged)
    let failure = try #require(try await scene.browser.events(after: 0, limit: 100).last)
    #expect(failure.kind == .tokenFailed && failure.detail.text.contains(#""code":"token-late""#))
    let measurements = try await scene.measurements()
    #expect(measurements.unattributed.map(\.click.sourceID) == (change == .replaced ? [5] : []))
    #expect(measurements.unattributed.allSatisfy { $0.click.token == nil })
    #expect(measurements.attributed.count == (change == .attributed ? 1 : 0))
  }

  /// Does something to a click while its token is being signed.
  private actor Stage {
    private var scene: Scene?
    private(set) var hasChanged = false

    func set(_ scene: Scene) { self.scene = scene }

    func change(_ change: Change) async {
      switch change {
      case .attributed: hasChanged = (try? await scene?.trigger("12"))?.kind == .attributed
      case .replaced: hasChanged = (try? await scene?.click(5))?.replaced != nil
      case .cleared: hasChanged = (try? await scene?.browser.clear(nil)) != nil
      }
    }
  }

  @Test("a private session's click gets its token when an event stores it, which is too late when the event attributes it")
  func releasedClick() async throws {
    let scene = try await scene(settings: SettingsChange(privateBrowsing: true))
    #expect(try await scene.click(4, nonce: Self.nonce).kind == .ephemeral)
    #expect(await scene.transport.requests.isEmpty)
    #expect(try await scene.trigger("12").kind == .attributed)
    #expect(await scene.transport.requests.count == 2)
    #expect(try await scene.kinds().last == .tokenFailed)
  }

  @Test("case 107: a changed key loses the report, under either policy", arguments: [DeliveryPolicy.webkit, .reliable])
  func changedKey(_ policy: DeliveryPolicy) async throws {
    let (signer, other) = (signer, try TokenSigner("signing-key-3072.pem"))
    let scene = try await Scene(
      settings: SettingsChange(deliveryPolicy: policy),
      transport: ScriptedTransport { request, number in number > 2 ? other.answer(request) : signer.answer(request) })
    try await scene.click(4, nonce: Self.nonce)
    try await scene.trigger("12")
    _ = try await scene.browser.advance(.untilIdle())
    #expect(await scene.transport.requests.map(\.method) == [.get, .post, .get, .get])
    let reports = try await scene.reports(.failed)
    #expect(reports.count == 2)
    #expect(reports.allSatisfy { $0.attempts.count == 1 && $0.attempts[0].text.contains("token-key-changed") })
    #expect(try await !scene.kinds().contains(.reportSent))
    let explanation = try await scene.browser.explain(RecordName.report(reports[0].id))
    #expect(explanation.firstFailure?.verdict.rule == "token-keys-are-unchanged")
    #expect(explanation.events.contains { $0.kind == .tokenRequested })
  }

  @Test("a report that is cleared while its key is asked for does not leave")
  func clearedDuringTheCheck() async throws {
    let (signer, stage) = (signer, Stage())
    let scene = try await Scene(
      transport: ScriptedTransport { request, number in
        if number == 3 { await stage.change(.cleared) }
        return signer.answer(request)
      })
    await stage.set(scene)
    try await scene.click(4, nonce: Self.nonce)
    try await scene.trigger("12")
    _ = try await scene.browser.advance(.untilIdle())
    #expect(await stage.hasChanged)
    #expect(await scene.transport.requests.count == 3)
    #expect(try await scene.reports(.cleared).count == 2)
  }

  @Test("a process that stops while a report's key is asked for sends it never under webkit, and once under reliable")
  func stoppedDuringTheCheck() async throws {
    for policy in [DeliveryPolicy.webkit, .reliable] {
      let (signer, store, successor) = (signer, MemoryStore(), Successor())
      let scene = try await Scene(
        settings: SettingsChange(deliveryPolicy: policy), store: store,
        transport: ScriptedTransport { request, number in
          if number == 3 { await successor.takeOver(store, signer) }
          return signer.answer(request)
        })
      try await scene.click(4, nonce: Self.nonce)
      try await scene.trigger("12")
      // The rest of the first process finds that another process has the browser.
      let error = await #expect(throws: BrowserError.self) { try await scene.browser.advance(.toNextEvent) }
      let now = try await scene.browser.configuration().now
      #expect(error == .requestInterrupted(key: nil, since: Scene.start, clock: now))
      #expect(await scene.transport.requests.count == 3)
      let next = try #require(await successor.scene)
      _ = try await next.browser.advance(.untilIdle())
      let sent = await next.transport.requests.filter { $0.method == .post }
      #expect(sent.count == (policy == .reliable ? 2 : 1))
      #expect(try await next.reports(.delivered).count == sent.count)
      #expect(try await next.reports(.failed).count == 2 - sent.count)
    }
  }

  /// The process that is started after the first has stopped.
  private actor Successor {
    private(set) var scene: Scene?

    func takeOver(_ store: any Store, _ signer: TokenSigner) async {
      scene = try? await Scene(restarting: store, transport: ScriptedTransport { request, _ in signer.answer(request) })
    }
  }

  @Test("an app's click gets a token too, as an extension; a nonce that is none is noted")
  func tapWithNonce() async throws {
    let scene = try await scene()
    func tap(_ nonce: String) async throws -> ClickRecord {
      try await scene.browser.perform(
        EventAttributionInput(
          bundleIdentifier: Scene.app, sourceIdentifier: 4, destinationURL: "https://shop.example/", sourceNonce: nonce))
    }
    #expect(try await tap("short").reasons.map(\.code) == ["nonce-invalid"])
    #expect(await scene.transport.requests.isEmpty)
    _ = try await tap(Self.nonce)
    #expect(try await scene.measurements().unattributed.first?.click.token != nil)
  }

  @Test("the same seed gives the same token, whatever the signature")
  func replay() async throws {
    var bodies: [[String: String]] = []
    for _ in 0..<2 {
      let scene = try await scene()
      try await scene.click(4, nonce: Self.nonce)
      try await scene.trigger("12")
      bodies.append(try Self.members(try #require(try await scene.reports().first).body))
    }
    #expect(bodies[0]["source_secret_token"] == bodies[1]["source_secret_token"])
    #expect(bodies[0]["source_secret_token_signature"] != nil)
  }

  @Test("an explanation of a triggering event begins with the exchange about its token")
  func explained() async throws {
    let scene = try await scene()
    let sequence = try await scene.trigger(Self.destinationTail).sequence
    let reported = try await scene.browser.explain(RecordName.triggeringEvent(sequence))
    #expect(reported.events.prefix(3).map(\.kind) == [.tokenRequested, .tokenRequested, .tokenStored])
    let broken = try await Scene()
    let rejected = try await broken.trigger(Self.destinationTail).sequence
    let why = try await broken.browser.explain(RecordName.triggeringEvent(rejected))
    #expect(why.firstFailure?.verdict.rule == "destination-token-is-signed")
    #expect(why.events.map(\.kind) == [.tokenRequested, .tokenFailed, .triggerRejected])
    let click = try await broken.click(4, nonce: Self.nonce)
    let aboutClick = try await broken.browser.explain(RecordName.click(try #require(click.click?.id)))
    #expect(aboutClick.events.map(\.kind) == [.tokenRequested, .tokenFailed])
  }
}
