package import PCMCore
package import PCMTokens

/// The state of an endpoint, which evaluates one request at a time.
package actor ReportEndpoint {
  /// The maximum number of listed requests. Older ones exist only in the recording.
  package static let listed = 10_000

  private var keys: KeyRing
  private var nonces = NonceBook()
  private var seen = SeenTokens()
  private var faults = FaultPlan()
  private var entries: [Entry] = []
  private var lastNumber: Int64 = 0
  private let now: @Sendable () -> Instant
  private let record: @Sendable (Entry) -> Void

  /// - Parameter record: Receives each request in order.
  package init(keys: KeyRing, now: @escaping @Sendable () -> Instant, record: @escaping @Sendable (Entry) -> Void) {
    self.keys = keys
    self.now = now
    self.record = record
  }

  /// Returns the fault for a request.
  package func fault(for kind: Arrival.Kind, at host: String) -> Fault? { faults.next(for: kind, at: host) }

  /// Stores a report. A valid report is accepted regardless of its tokens, because the sender can do no more, and a forger
  /// must not learn the verdict.
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

  /// Returns the public key as served.
  package func publicKey(_ arrival: Arrival, fault: Fault? = nil) -> String {
    keep(arrival, Verdict(.accepted), fault)
    let current = keys.series(for: arrival.host).current
    return fault?.kind == .wrongKey ? Forgery.key(like: current) : current.publicKeyWire
  }

  /// Returns a blind signature in base64url.
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

  /// Only a signature consumes the nonce. A rejected request does not.
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
      // Stores only verified tokens, so that others cannot use up a token.
      return seen.insert(token, of: side, at: host) ? .verified(key) : .duplicate(key)
    } catch {
      return error.verdict
    }
  }

  /// Handles a triggering event, or a pixel that redirects to one.
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

  /// Stores a request whose fault prevents its evaluation.
  package func note(_ arrival: Arrival, fault: Fault?) { keep(arrival, Verdict(.notProcessed), fault) }

  private func keep(_ arrival: Arrival, _ verdict: Verdict, _ fault: Fault?) {
    lastNumber += 1
    let entry = Entry(number: lastNumber, at: now(), arrival: arrival, verdict: verdict, fault: fault?.kind)
    if entries.count == Self.listed { entries.removeFirst(Self.listed / 10) }
    entries.append(entry)
    record(entry)
  }
}

/// The operations of the admin interface.
extension ReportEndpoint {
  /// - Parameter kind: The kind of request; nil for all.
  package func entries(after number: Int64, kind: Arrival.Kind?, limit: Int) -> [Entry] {
    Array(entries.lazy.filter { $0.number > number && (kind == nil || $0.arrival.kind == kind) }.prefix(limit))
  }

  /// Removes all requests and tokens. The numbering continues.
  package func clear() {
    entries = []
    seen = SeenTokens()
  }

  /// - Returns: The nonces that were unknown.
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

  /// Rotates the signing key after it has been saved: without a saved key, a restart would invalidate all tokens that it
  /// signed.
  ///
  /// - Parameters:
  ///   - host: A host with a separate key; nil for the shared key.
  ///   - save: Saves the keys. When it throws, nothing changes.
  /// - Returns: Nil when the host has no separate key.
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
