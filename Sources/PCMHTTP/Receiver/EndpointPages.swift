import Hummingbird
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMPages

/// The endpoint's page, its files, and the parts that its script loads.
extension EndpointAPI {
  /// A page and a file contain no data, so they need no token. The parts are admin routes.
  func addPageRoutes(to table: inout RouteTable) {
    let page = ReceiverPage(
      kinds: ReceivedRequest.Kind.allCases.map(\.rawValue), faults: InjectedFault.Kind.allCases.map(\.rawValue))
    table.on("/", .get, parameters: nil) { _, _ in Response(page: page.html) }
    for asset in PageAsset.ofReceiver {
      let file = AssetFile(asset)
      table.on(asset.path, .get, parameters: nil) { request, _ in file.response(to: request) }
    }
    guarded(&table, "/admin/page/requests", .get, parameters: ["kind"]) { request, _ in
      let kind = try Self.kind(QueryReader(request).text("kind") ?? "")
      let newest = await endpoint.newest(Self.mostShown + 1, kind: kind)
      return Response(
        part: ReceivedView(
          newest.prefix(Self.mostShown).map { ReceivedView.Entry($0) }, hasMore: newest.count > Self.mostShown,
          isFiltered: kind != nil
        ).markup)
    }
    guarded(&table, "/admin/page/faults", .get) { _, _ in
      Response(part: FaultsView(await endpoint.plannedFaults.rules.map { FaultsView.Rule($0) }).markup)
    }
  }

  /// The most requests on the page.
  private static var mostShown: Int { 200 }

  /// - Returns: Nil for all kinds.
  private static func kind(_ text: String) throws(Problem) -> ReceivedRequest.Kind? {
    guard !text.isEmpty else { return nil }
    guard let kind = ReceivedRequest.Kind(rawValue: text) else {
      throw Problem.invalidParameter(
        "kind", "expected \(ReceivedRequest.Kind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return kind
  }
}

extension ReceivedView.Entry {
  /// The most bytes of a body on the page.
  private static var mostOfBody: Int { 4_096 }

  fileprivate init(_ entry: PCMEndpoint.Entry) {
    let (received, verdict) = (entry.received, entry.verdict)
    let tone: ReceivedView.Tone =
      switch verdict.outcome {
      case .accepted: .good
      case .duplicate, .unverifiable: .doubtful
      case .forged, .refused: .bad
      case .notProcessed: .quiet
      }
    let rest = received.body.count - Self.mostOfBody
    let headers = received.headers.map { "\($0.name): \($0.value)" }
    let body = String(decoding: received.body.prefix(Self.mostOfBody), as: UTF8.self)
    self.init(
      number: entry.number, at: entry.at.milliseconds, kind: received.kind.rawValue,
      verdict: verdict.outcome == .refused ? "rejected" : verdict.outcome.rawValue, tone: tone,
      target: received.host + received.path, facts: verdict.facts(fault: entry.fault),
      head: (["\(received.method) \(received.path)"] + headers).joined(separator: "\n"),
      body: rest > 0 ? "\(body)\n… \(rest) more bytes in GET /admin/requests" : body,
      decoded: DecodedSignature(in: body))
  }
}

extension Verdict {
  fileprivate func facts(fault: InjectedFault.Kind?) -> [ReceivedView.Fact] {
    var facts: [ReceivedView.Fact] = []
    if let error { facts.append(.init("Reason", "\(error.code.rawValue): \(error.detail)")) }
    for recipient in Recipient.allCases {
      guard let token = tokens[recipient] else { continue }
      facts.append(.init(recipient == .source ? "Source token" : "Destination token", token.text))
    }
    if let postback {
      facts.append(.init("Signature", postback.postback.signature.outcome.rawValue))
      if let key = postback.postback.signature.key { facts.append(.init("Key", key.name)) }
      if let environment = postback.postback.environment { facts.append(.init("Environment", environment.rawValue)) }
      if let duplicate = postback.duplicate { facts.append(.init("Duplicate of request", "\(duplicate.number)")) }
    }
    if let fault { facts.append(.init("Fault", fault.rawValue)) }
    return facts
  }
}

extension TokenVerdict {
  fileprivate var text: String {
    switch self {
    case .verified(let key): "verified with key \(key.text)"
    case .duplicate(let key): "duplicate, key \(key.text)"
    case .unverified: "unverified: the signing site's key is unknown"
    case .rejected(let code, let detail): "rejected: \(code), \(detail)"
    }
  }
}

extension FaultsView.Rule {
  fileprivate init(_ rule: FaultRule) {
    var facts = [rule.request.map { "on \($0.rawValue)" } ?? "on all requests"]
    if let host = rule.host { facts.append("at \(host)") }
    switch rule.fault.kind {
    case .status: facts.append("status \(rule.fault.status)")
    case .redirect: facts.append("status \(rule.fault.status) to \(rule.fault.location)")
    case .delay, .trickle: facts.append("\(rule.fault.pause.milliseconds) ms")
    default: break
    }
    if rule.probability < 1 { facts.append("probability \(rule.probability)") }
    facts.append(rule.times.map { $0 == 0 ? "used up" : "\($0) more time\($0 == 1 ? "" : "s")" } ?? "always")
    self.init(title: rule.fault.kind.rawValue, facts: facts)
  }
}
