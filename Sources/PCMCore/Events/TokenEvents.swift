extension EventKind {
  /// The browser requested a signature for a token.
  public static let tokenRequested = Self("token-requested")
  /// A signed token was stored.
  public static let tokenStored = Self("token-stored")
  /// The browser could not get a signed token.
  public static let tokenFailed = Self("token-failed")
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

  init(_ members: inout EventReader) throws {
    request = try members.number("requestSequence")
    recipient = try members.word("recipient")
    source = try members.site("sourceSite")
    destination = try members.site("destinationSite")
    click = try members.optionalRecord("clickId", .click)
  }

  func encode(into event: inout EventWriter) {
    event.member("requestSequence", request)
    event.member("recipient", recipient.rawValue)
    event.member("sourceSite", source)
    event.member("destinationSite", destination)
    if let click { event.member("clickId", RecordName.click(click)) }
  }

  var subjects: [EventSubject] { (click.map { [.click($0)] } ?? []) + .sites(source, destination) }
}

/// A request to a site that signs tokens: for its key, for a signature, or for the keys of a due report.
package enum TokenRequested: EventDetail {
  case key(TokenExchangeRecord, url: String)
  case signature(TokenExchangeRecord, url: String, keyID: String)
  /// The keys of a report's tokens, before the report is sent. The decision is nil for a retry.
  case reportKeys(report: Int64, recipient: Recipient, urls: [String], decision: RecordedDecision?)

  init(_ members: inout EventReader) throws {
    let step = try members.text("step")
    if members.has("reportId") {
      guard step == "key" else { throw members.unexpected("step") }
      self = .reportKeys(
        report: try members.record("reportId", .report), recipient: try members.word("recipient"),
        urls: try members.texts("urls"), decision: try members.decision())
      return
    }
    let exchange = try TokenExchangeRecord(&members)
    let url = try members.text("url")
    switch step {
    case "key": self = .key(exchange, url: url)
    case "signature": self = .signature(exchange, url: url, keyID: try members.text("keyId"))
    default: throw members.unexpected("step")
    }
  }

  func encode(into event: inout EventWriter) {
    switch self {
    case .key(let exchange, let url):
      exchange.encode(into: &event)
      event.member("step", "key")
      event.member("url", url)
    case .signature(let exchange, let url, let keyID):
      exchange.encode(into: &event)
      event.member("step", "signature")
      event.member("url", url)
      event.member("keyId", keyID)
    case .reportKeys(let report, let recipient, let urls, let decision):
      event.member("reportId", RecordName.report(report))
      event.member("recipient", recipient.rawValue)
      event.member("step", "key")
      event.member("urls", json: .array(urls.map { .string($0) }))
      event.decision(decision)
    }
  }

  func subjects(at sequence: Int64) -> [EventSubject] {
    switch self {
    case .key(let exchange, _), .signature(let exchange, _, _): exchange.subjects
    case .reportKeys(let report, _, _, _): [.report(report)]
    }
  }

  package var decision: RecordedDecision? {
    guard case .reportKeys(_, _, _, let decision) = self else { return nil }
    return decision
  }
}

/// A signed token.
package struct TokenStored: EventDetail {
  package let exchange: TokenExchangeRecord
  package let keyID: String

  package init(exchange: TokenExchangeRecord, keyID: String) {
    self.exchange = exchange
    self.keyID = keyID
  }

  init(_ members: inout EventReader) throws {
    exchange = try TokenExchangeRecord(&members)
    keyID = try members.text("keyId")
  }

  func encode(into event: inout EventWriter) {
    exchange.encode(into: &event)
    event.member("keyId", keyID)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { exchange.subjects }
}

/// An exchange that ended without a token.
package struct TokenFailed: EventDetail {
  package let exchange: TokenExchangeRecord
  package let reasons: [Reason]
  package let change: String

  package init(exchange: TokenExchangeRecord, reasons: [Reason], change: String) {
    self.exchange = exchange
    self.reasons = reasons
    self.change = change
  }

  init(_ members: inout EventReader) throws {
    exchange = try TokenExchangeRecord(&members)
    reasons = try members.reasons()
    change = try members.text("change")
  }

  func encode(into event: inout EventWriter) {
    exchange.encode(into: &event)
    event.member("reasons", reasons)
    event.member("change", change)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { exchange.subjects }
}
