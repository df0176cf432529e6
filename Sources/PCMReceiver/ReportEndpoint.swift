package import PCMCore
package import PCMTokens

/// An endpoint's memory, and its rules applied one request at a time.
package actor ReportEndpoint {
  /// How many requests are listed; older ones are only in what was recorded.
  package static let listed = 10_000

  private var keys: KeyRing
  private var nonces = NonceBook()
  private var seen = SeenTokens()
  private var faults = FaultPlan()
  private var entries: [Entry] = []
  private var lastNumber: Int64 = 0
  private let now: @Sendable () -> Instant
  private let record: @Sendable (Entry) -> Void

  /// - Parameter record: told of each request in order.
  package init(keys: KeyRing, now: @escaping @Sendable () -> Instant, record: @escaping @Sendable (Entry) -> Void) {
    self.keys = keys
    self.now = now
    self.record = record
  }

  /// The fault that a request meets.
  package func fault(for kind: Arrival.Kind, at host: String) -> Fault? { faults.next(for: kind, at: host) }

  /// Keeps a report. One that can be read is kept and answered with 200 whatever its tokens are worth: the sender has
  /// done its part, and a forger learns nothing.
  package func takeReport(_ arrival: Arrival, fault: Fault? = nil) throws(Refusal) -> Verdict {
    let verdict: Verdict
    do throws(Refusal) {
      verdict = judge(try ReceivedReport(body: arrival.body), at: arrival.host)
    } catch {
      keep(arrival, Verdict(error), fault)
      throw error
    }
    keep(arrival, verdict, fault)
    return verdict
  }

  /// The public key as it is served.
  package func publicKey(_ arrival: Arrival, fault: Fault? = nil) -> String {
    keep(arrival, Verdict(.accepted), fault)
    let current = keys.series(for: arrival.host).current
    return fault?.kind == .wrongKey ? Forgery.key(like: current) : current.publicKeyWire
  }

  /// A blind signature in base64url.
  package func sign(_ arrival: Arrival, fault: Fault? = nil) throws(Refusal) -> String {
    let signature: [UInt8]
    do throws(Refusal) {
      signature = try sign(try SignRequest(body: arrival.body), at: arrival.host)
    } catch {
      keep(arrival, Verdict(error), fault)
      throw error
    }
    keep(arrival, Verdict(.accepted), fault)
    switch fault?.kind {
    case .forgedSignature: return Base64URL.encode(Forgery.signature(signature))
    case .shortSignature: return Base64URL.encode(Array(signature.dropLast()))
    default: return Base64URL.encode(signature)
    }
  }

  /// The nonce is used up by a signature, not by a request that is refused.
  private func sign(_ request: SignRequest, at host: String) throws(Refusal) -> [UInt8] {
    try nonces.check(request.nonce)
    let signature: [UInt8]
    do throws(TokenRefusal) {
      signature = try keys.series(for: host).current.sign(blindedMessage: request.blindedToken)
    } catch {
      throw Refusal(signing: error)
    }
    nonces.use(request.nonce)
    return signature
  }

  private func judge(_ report: ReceivedReport, at host: String) -> Verdict {
    let recipients = TokenSide.allCases.filter { report.signer(of: $0) == host }
    var verdicts: [TokenSide: TokenVerdict] = [:]
    for (side, pair) in report.pairs {
      verdicts[side] = judge(pair, side, signedBy: report.signer(of: side), at: host)
    }
    return Verdict(tokens: verdicts, recipients: recipients)
  }

  private func judge(
    _ pair: ReceivedReport.TokenPair, _ side: TokenSide, signedBy party: String, at host: String
  ) -> TokenVerdict {
    do {
      let token = try pair.decoded().get()
      let candidates = keys.verifying(party, at: host)
      guard !candidates.isEmpty else { return .unverified }
      let key = try pair.signer(of: token, among: candidates).get()
      // Only what is verified is remembered: nobody else can use up a token.
      return seen.insert(token, of: side, at: host) ? .verified(key) : .duplicate(key)
    } catch {
      return error.verdict
    }
  }

  /// A triggering event, or a pixel that leads to one.
  package func takeTrigger(
    _ arrival: Arrival, data: String, priority: String?, fault: Fault? = nil
  ) throws(Refusal) -> TriggerPath {
    let trigger: TriggerPath
    do throws(Refusal) {
      trigger = try TriggerPath(data: data, priority: priority)
    } catch {
      keep(arrival, Verdict(error), fault)
      throw error
    }
    keep(arrival, Verdict(.accepted), fault)
    return trigger
  }

  /// Keeps a request that meets a fault before anything is made of it.
  package func note(_ arrival: Arrival, fault: Fault?) { keep(arrival, Verdict(.notProcessed), fault) }

  private func keep(_ arrival: Arrival, _ verdict: Verdict, _ fault: Fault?) {
    lastNumber += 1
    let entry = Entry(number: lastNumber, at: now(), arrival: arrival, verdict: verdict, fault: fault?.kind)
    if entries.count == Self.listed { entries.removeFirst(Self.listed / 10) }
    entries.append(entry)
    record(entry)
  }
}

/// What whoever runs the tests may ask for.
extension ReportEndpoint {
  /// - Parameter kind: nil for every kind of request.
  package func entries(after number: Int64, kind: Arrival.Kind?, limit: Int) -> [Entry] {
    Array(entries.lazy.filter { $0.number > number && (kind == nil || $0.arrival.kind == kind) }.prefix(limit))
  }

  /// Forgets what arrived, tokens included; numbers go on.
  package func clear() {
    entries = []
    seen = SeenTokens()
  }

  /// - Returns: those that were not known.
  package func register(_ texts: [String]) throws(Refusal) -> [String] {
    var book = nonces
    var new: [String] = []
    for text in texts where try book.register(text) { new.append(text) }
    nonces = book
    return new
  }

  package func plan(_ plan: FaultPlan) { faults = plan }

  package var plannedFaults: FaultPlan { faults }

  package var keyRing: KeyRing { keys }

  /// Serves and signs with another key from now on, once it is kept: a key that a restart forgets would make every token
  /// that it signed worthless.
  ///
  /// - Parameters:
  ///   - host: one that has a key of its own; nil for the shared key.
  ///   - save: keeps the keys. When it throws, everything is as before.
  /// - Returns: nil when the host has no key of its own.
  package func rotate(
    _ host: String?, to key: TokenPrivateKey, save: (KeySeries) throws -> Void
  ) throws -> KeySeries? {
    var rotated = keys
    guard let series = rotated.rotate(host, to: key) else { return nil }
    try save(series)
    keys = rotated
    return series
  }
}
