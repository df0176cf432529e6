package import PCMCore
package import PCMCrypto

/// The state of an endpoint, which evaluates one request at a time.
package actor ReportEndpoint {
  /// The maximum number of listed requests. Older requests exist only in the recording.
  package static let listed = 10_000

  private var keys: KeyRing
  private var nonces = NonceBook()
  /// The maximum number of tokens, each of about 200 bytes plus its host. Only the newest tokens are stored, because repeated
  /// reports arrive soon.
  package static let tokenCapacity = 1_000_000

  private var seen = NewestValues<TokenReceipt, Void>(capacity: tokenCapacity)
  private var faults = FaultPlan()
  /// The maximum size of the listed requests with their verdicts in bytes.
  package static let listedByteCount = 33_554_432

  private var entries: [Entry] = []
  private var entryByteCount = 0
  private var lastNumber: Int64 = 0
  private var postbacks = PostbackLedger()
  /// The keys and the web ad for ads that lead to apps.
  package nonisolated let appAds: AppAds
  private let now: @Sendable () -> Instant
  private let record: @Sendable (Entry) -> Void

  /// - Parameter record: Receives each request in order.
  package init(
    keys: KeyRing, appAds: AppAds, now: @escaping @Sendable () -> Instant, record: @escaping @Sendable (Entry) -> Void
  ) {
    self.keys = keys
    self.appAds = appAds
    self.now = now
    self.record = record
  }

  /// Returns the fault for a request.
  package func fault(for kind: ReceivedRequest.Kind, at host: String) -> InjectedFault? { faults.next(for: kind, at: host) }

  /// Stores a report. A valid report is accepted regardless of its tokens, because the sender cannot correct them, and a
  /// forger must not learn the verdict.
  package func takeReport(_ received: ReceivedRequest, fault: InjectedFault? = nil) throws(RequestError) -> Verdict {
    try evaluateAndStore(received, fault, as: \.self) { () throws(RequestError) in
      evaluate(try ReceivedReport(body: received.body), at: received.host)
    }
  }

  /// Returns the public key as served.
  package func publicKey(_ received: ReceivedRequest, fault: InjectedFault? = nil) -> String {
    storeEntry(for: received, Verdict(.accepted), fault)
    let current = keys.series(for: received.host).current
    return fault?.kind == .wrongKey ? Forgery.key(like: current) : current.publicKeyWire
  }

  /// Returns a blind signature in base64url.
  package func sign(_ received: ReceivedRequest, fault: InjectedFault? = nil) throws(RequestError) -> String {
    let signature = try evaluateAndStore(received, fault) { () throws(RequestError) in
      try sign(SignRequest(body: received.body), at: received.host)
    }
    return Base64URL.encode(Forgery.signature(signature, fault?.kind))
  }

  /// Signs a request. Only a signature consumes the nonce; a rejected request does not.
  private func sign(_ request: SignRequest, at host: String) throws(RequestError) -> [UInt8] {
    try nonces.check(request.nonce)
    let signature: [UInt8]
    do throws(TokenError) {
      signature = try keys.series(for: host).current.sign(blindedMessage: request.blindedToken)
    } catch {
      throw RequestError(signing: error)
    }
    nonces.use(request.nonce)
    return signature
  }

  private func evaluate(_ report: ReceivedReport, at host: String) -> Verdict {
    let recipients = Recipient.allCases.filter { report.signer(of: $0) == host }
    var verdicts: [Recipient: TokenVerdict] = [:]
    for (recipient, pair) in report.pairs {
      verdicts[recipient] = evaluate(pair, recipient, signedBy: report.signer(of: recipient), at: host)
    }
    return Verdict(tokens: verdicts, recipients: recipients)
  }

  private func evaluate(
    _ pair: ReceivedReport.TokenPair, _ recipient: Recipient, signedBy site: String, at host: String
  ) -> TokenVerdict {
    let (verdict, token) = pair.verdict(among: keys.verifying(site, at: host))
    // Only verified tokens are stored, so that a forged report cannot use up a token.
    guard case .verified(let key) = verdict, let token else { return verdict }
    return seen.set((), for: TokenReceipt(host: host, recipient: recipient, token: token)) ? verdict : .duplicate(key)
  }

  /// Handles a triggering event, or a pixel that redirects to a trigger URL.
  package func takeTrigger(
    _ received: ReceivedRequest, data: String, priority: String?, fault: InjectedFault? = nil
  ) throws(RequestError) -> ReceivedTrigger {
    try evaluateAndStore(received, fault) { () throws(RequestError) in try ReceivedTrigger(data: data, priority: priority) }
  }

  /// Stores a postback. Only a postback whose signature cannot be checked is an error: after any other error response, a
  /// device sends the same bytes again.
  ///
  /// - Parameter framework: The framework whose postbacks the path accepts; nil for both.
  package nonisolated func takePostback(
    _ received: ReceivedRequest, for framework: AdFramework?, fault: InjectedFault? = nil
  ) async throws(RequestError) -> Verdict {
    // Verification runs outside the actor, so that other requests do not wait.
    let postback = ReceivedPostback(body: received.body, verifier: appAds.verifier, for: framework)
    let verdict = await count(postback, received, fault)
    if let error = postback.error { throw error }
    return verdict
  }

  private func count(_ postback: ReceivedPostback, _ received: ReceivedRequest, _ fault: InjectedFault?) -> Verdict {
    let verdict = postbacks.count(postback, in: received, number: lastNumber + 1)
    storeEntry(for: received, verdict, fault)
    return verdict
  }

  /// Returns the signed values of the web ad.
  package func signedPayload(_ received: ReceivedRequest, fault: InjectedFault? = nil) throws(RequestError) -> JSON {
    try evaluateAndStore(received, fault) { () throws(RequestError) in
      let request = try SignedPayloadRequest(body: received.body)
      return try appAds.webAd.payload(for: request, at: now(), signedBy: appAds.adNetworkKey, fault: fault?.kind)
    }
  }

  /// Stores a request whose fault prevents its evaluation.
  package func note(_ received: ReceivedRequest, fault: InjectedFault?) {
    storeEntry(for: received, Verdict(.notProcessed), fault)
  }

  /// Evaluates a request, and stores it with its verdict, even if it is rejected.
  private func evaluateAndStore<Value>(
    _ received: ReceivedRequest, _ fault: InjectedFault?, as verdict: (Value) -> Verdict = { _ in Verdict(.accepted) },
    _ evaluate: () throws(RequestError) -> Value
  ) throws(RequestError) -> Value {
    let value: Value
    do throws(RequestError) {
      value = try evaluate()
    } catch {
      storeEntry(for: received, Verdict(error), fault)
      throw error
    }
    storeEntry(for: received, verdict(value), fault)
    return value
  }

  private func storeEntry(for received: ReceivedRequest, _ verdict: Verdict, _ fault: InjectedFault?) {
    lastNumber += 1
    let entry = Entry(number: lastNumber, at: now(), received: received, verdict: verdict, fault: fault?.kind)
    entries.append(entry)
    entryByteCount += entry.byteCount
    // Removes a tenth at a time, because each removal moves the other entries.
    while entries.count > Self.listed || entryByteCount > Self.listedByteCount { removeOldest(entries.count / 10 + 1) }
    record(entry)
  }

  private func removeOldest(_ count: Int) {
    entryByteCount -= entries.prefix(count).reduce(0) { $0 + $1.byteCount }
    entries.removeFirst(count)
  }
}

/// The operations of the admin interface.
extension ReportEndpoint {
  /// - Parameters:
  ///   - kinds: The kinds of requests; empty for all.
  ///   - environments: The environments of postbacks; empty for all requests.
  package func entries(
    after number: Int64, kinds: Set<ReceivedRequest.Kind>, environments: Set<PostbackEnvironment> = [], limit: Int
  ) -> [Entry] {
    let found = entries.lazy.filter { entry in
      guard entry.number > number, kinds.isEmpty || kinds.contains(entry.received.kind) else { return false }
      let environment = entry.verdict.postback?.postback.environment
      return environments.isEmpty || environment.map(environments.contains) ?? false
    }
    return Array(found.prefix(limit))
  }

  /// Returns the newest requests, newest first.
  ///
  /// - Parameter kind: The kind of requests; nil for all.
  package func newest(_ limit: Int, kind: ReceivedRequest.Kind?) -> [Entry] {
    Array(entries.lazy.reversed().filter { kind == nil || $0.received.kind == kind }.prefix(limit))
  }

  /// The numbers of postbacks by environment and verdict.
  package var postbackCounts: JSON { postbacks.json }

  /// Removes all requests, tokens, and counted postbacks. The numbering continues.
  package func clear() {
    removeOldest(entries.count)
    seen = NewestValues(capacity: Self.tokenCapacity)
    postbacks = PostbackLedger()
  }

  /// - Returns: The new nonces.
  package func register(_ texts: [String]) throws(RequestError) -> [String] {
    var book = nonces
    var new: [String] = []
    for text in texts where try book.register(text) { new.append(text) }
    nonces = book
    return new
  }

  package func plan(_ plan: FaultPlan) { faults = plan }

  package var plannedFaults: FaultPlan { faults }

  package var keyRing: KeyRing { keys }

  /// Rotates the signing key after it was saved. Without a saved key, a restart would invalidate all tokens with its
  /// signature.
  ///
  /// - Parameters:
  ///   - host: A host with a separate key; nil for the shared key.
  ///   - save: Saves the keys. If it throws, nothing changes.
  /// - Returns: nil if the host has no separate key.
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
