extension EventKind {
  /// The browser requested a signature for a token.
  package static let tokenRequested = Self("token-requested")
  /// A signed token was stored.
  package static let tokenStored = Self("token-stored")
  /// The browser could not get a signed token.
  package static let tokenFailed = Self("token-failed")
}

extension EventType {
  static let tokens = [
    EventType(.tokenRequested, TokenRequested.self), EventType(.tokenStored, TokenStored.self),
    EventType(.tokenFailed, TokenFailed.self),
  ]
}

/// An exchange with a site for a signed token.
package struct TokenExchangeRecord: Hashable, Sendable {
  /// The number of the event that started the exchange.
  package let request: Int64
  package let recipient: Recipient
  package let source: Site
  package let destination: Site
  /// The click that waits for the token; nil for a triggering event.
  package let click: Int64?

  package init(request: Int64, recipient: Recipient, source: Site, destination: Site, click: Int64?) {
    self.request = request
    self.recipient = recipient
    self.source = source
    self.destination = destination
    self.click = click
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    request = try members.required("requestSequence", event?.request, .number)
    recipient = try members.required("recipient", event?.recipient, .word())
    source = try members.required("sourceSite", event?.source, .site)
    destination = try members.required("destinationSite", event?.destination, .site)
    click = try members.ifPresent("clickId", event?.click, .record(.click))
  }

  var subjects: [EventSubject] { (click.map { [.record(.click, $0)] } ?? []) + .sites(source, destination) }
}

/// A request to a site that signs tokens: for its key, for a signature, or for the keys of a due report.
package enum TokenRequested: BrowserEvent {
  case key(TokenExchangeRecord, url: String)
  case signature(TokenExchangeRecord, url: String, keyID: String)
  /// The keys of a report's tokens, before the report is sent. The decision is nil for a retry.
  case reportKeys(report: Int64, recipient: Recipient, urls: [String], decision: RecordedDecision?)

  package var kind: EventKind { .tokenRequested }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    let parts = event?.parts
    if parts.map({ $0.exchange == nil }) ?? members.has("reportId") {
      let report = try members.required("reportId", parts?.report, .record(.report))
      let recipient = try members.required("recipient", parts?.recipient, .word())
      _ = try members.required("step", parts?.step, .word(["key"]))
      self = .reportKeys(
        report: report, recipient: recipient, urls: try members.required("urls", parts?.urls, .list(of: .text)),
        decision: try members.decision(parts?.decision))
      return
    }
    let exchange = try TokenExchangeRecord(parts?.exchange, &members)
    let isSignature = parts.map { $0.keyID != nil } ?? members.has("keyId")
    _ = try members.required("step", parts?.step, .word([isSignature ? "signature" : "key"]))
    let url = try members.required("url", parts?.urls.first, .text)
    self =
      isSignature
      ? .signature(exchange, url: url, keyID: try members.required("keyId", parts?.keyID, .text)) : .key(exchange, url: url)
  }

  private struct Parts {
    var exchange: TokenExchangeRecord?
    var report: Int64?
    var recipient: Recipient?
    var step = "key"
    var urls: [String]
    var keyID: String?
    var decision: RecordedDecision?
  }

  private var parts: Parts {
    switch self {
    case .key(let exchange, let url): Parts(exchange: exchange, urls: [url])
    case .signature(let exchange, let url, let keyID):
      Parts(exchange: exchange, step: "signature", urls: [url], keyID: keyID)
    case .reportKeys(let report, let recipient, let urls, let decision):
      Parts(report: report, recipient: recipient, urls: urls, decision: decision)
    }
  }

  package func subjects(at sequence: Int64) -> [EventSubject] {
    exchange?.subjects ?? parts.report.map { [.record(.report, $0)] } ?? []
  }

  package var decision: RecordedDecision? { parts.decision }

  /// The exchange for a token; nil for the keys of a report.
  package var exchange: TokenExchangeRecord? { parts.exchange }
}

/// A signed token.
package struct TokenStored: BrowserEvent {
  package var kind: EventKind { .tokenStored }
  package let exchange: TokenExchangeRecord
  package let keyID: String

  package init(exchange: TokenExchangeRecord, keyID: String) {
    self.exchange = exchange
    self.keyID = keyID
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    exchange = try TokenExchangeRecord(event?.exchange, &members)
    keyID = try members.required("keyId", event?.keyID, .text)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { exchange.subjects }
}

/// An exchange that ended without a token.
package struct TokenFailed: BrowserEvent {
  package var kind: EventKind { .tokenFailed }
  package let exchange: TokenExchangeRecord
  package let reasons: [Reason]
  package let change: String

  package init(exchange: TokenExchangeRecord, reasons: [Reason], change: String) {
    self.exchange = exchange
    self.reasons = reasons
    self.change = change
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    exchange = try TokenExchangeRecord(event?.exchange, &members)
    reasons = try members.reasons(event?.reasons)
    change = try members.required("change", event?.change, .text)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { exchange.subjects }
}
