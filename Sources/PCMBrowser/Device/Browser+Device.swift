package import PCMCore
import PCMCrypto
package import PCMDevice
package import PCMStore

extension Browser {
  /// The maximum number of ad networks of a device.
  package static let maximumAdNetworkCount = 1_000

  /// The device and the system's modes.
  package func device() async throws -> Device { try await read { try $0.device() } }

  /// Changes the properties of the device. Earlier decisions are not affected.
  package func change(device change: DeviceChange) async throws {
    guard !change.isEmpty else { return }
    _ = try await lock.excluding { try await apply(device: change) }
  }

  /// Changes the properties of the device within another change, and returns the browser after it.
  func apply(device change: DeviceChange) async throws -> BrowserSnapshot {
    let call = journaling.call(CallName.device, change.json)
    return try await submit(call) { [self] writer, state in
      let after = try state.registry.device.changed(by: change, at: state.now)
      try writer.save(after)
      try writer.append(DeviceChanged(properties: after.json), at: state.now)
      state.registry.set(after)
      return try configuration(writer)
    }.answer()
  }

  /// Throws when a property differs from the device.
  package func confirm(_ change: DeviceChange) async throws {
    let configuration = try await configuration()
    let device = configuration.device
    var same = try device.changed(by: change, at: configuration.now)
    // Only whether a mode is on was requested.
    if same.developerModeSince != nil, device.developerModeSince != nil { same.developerModeSince = device.developerModeSince }
    if same.testingProfileSince != nil, device.testingProfileSince != nil {
      same.testingProfileSince = device.testingProfileSince
    }
    guard same == device else {
      throw BrowserError.conflict("device: the device exists with other properties; PATCH changes them")
    }
  }

  /// Registers an ad network, or replaces its registration.
  package func register(
    adNetwork identifier: String, _ input: AdNetworkInput
  ) async throws -> AdNetworkRecord {
    let input = input.withoutUserInformation
    let network = try input.network(identifier, InputChecker(environment: environment))
    let record = AdNetworkRecord(
      identifier: identifier, publicKey: Base64.encode(network.key.spki), postbackURL: input.postbackURL)
    try await lock.excluding {
      let call = journaling.call(
        CallName.adNetwork,
        .object([.init("adNetworkIdentifier", .string(identifier))] + input.json.members))
      try await submit(call) { writer, state in
        let networks = state.registry.networks
        guard networks[identifier] != nil || networks.count < Self.maximumAdNetworkCount else {
          throw BrowserError.limitReached(
            "the device has \(Self.maximumAdNetworkCount) ad networks, the maximum; delete one first")
        }
        try writer.save(record)
        try writer.append(
          AdNetworkRegistered(adNetworkIdentifier: identifier, postbackURL: record.postbackURL), at: state.now)
        state.registry.set(network, for: identifier)
      }.answer()
    }
    return record
  }

  package func remove(adNetwork identifier: String) async throws {
    try await lock.excluding {
      let call = journaling.call(CallName.adNetwork, ["adNetworkIdentifier": .string(identifier)])
      try await submit(call) { writer, state in
        guard state.registry.networks[identifier] != nil else { throw BrowserError.unknownAdNetwork(id: identifier) }
        try writer.beginRemoval()
        try writer.remove(DeviceRow.self, .init(.adNetwork, identifier))
        state.registry.set(nil as AdNetwork?, for: identifier)
      }.answer()
    }
  }

  package func adNetworks(after identifier: String, limit: Int) async throws -> [AdNetworkRecord] {
    try await read { try $0.adNetworks(after: identifier, limit: limit) }
  }

  package func adNetwork(_ identifier: String) async throws -> AdNetworkRecord {
    guard let network = try await read({ try $0.adNetwork(identifier) }) else {
      throw BrowserError.unknownAdNetwork(id: identifier)
    }
    return network
  }

  package func installedApps(after bundleIdentifier: String, limit: Int) async throws -> [InstalledApp] {
    try await read { try $0.installedApps(after: bundleIdentifier, limit: limit) }
  }

  /// Returns the first ads after `id` that the device keeps, and that apps display, ordered by number.
  package func impressions(after id: Int64 = 0, limit: Int = .max) async throws -> ImpressionTable {
    try await read { try $0.impressionTable(after: id, limit: limit) }
  }

  /// Returns a page of the postbacks after `id`, in some states or in all. It may have fewer than `limit` items although more
  /// follow.
  package func postbackPage(
    in states: Set<Postback.State> = [], after id: Int64 = 0, limit: Int, bytes: Int = PageSize.mostReadBytes
  ) async throws -> RecordPage<Postback> {
    try await read { try $0.postbackPage(in: states, after: id, limit: limit, bytes: bytes) }
  }

  package func postback(named name: String) async throws -> Postback {
    guard let id = RecordName.Kind.postback.number(name),
      let postback = try await read({ try $0.row(Postback.self, id) })
    else { throw BrowserError.unknownPostback(id: name) }
    return postback
  }
}

extension AdNetworkInput {
  /// Returns the network, or throws unless it can be registered.
  func network(_ identifier: String, _ inputChecker: InputChecker) throws(BrowserError) -> AdNetwork {
    var checker = inputChecker
    let url = checker.url(postbackURL, ["postbackURL"])
    var key: PublicKey?
    do throws(KeyError) {
      key = try PublicKey(file: Array(publicKey.utf8))
    } catch {
      checker.problems.append(InputError(["publicKey"], error.detail))
    }
    try checker.finish()
    let (publicKey, postbackURL) = (try checker.required(key), try checker.required(url))
    guard let network = try? AdNetwork(identifier: identifier, key: publicKey, postbackURL: postbackURL) else {
      throw .invalidInput([InputError(["publicKey"], "the key cannot be used; give a key on P-256")])
    }
    var evaluation = RuleEvaluation(of: DeviceRuleBook.adNetwork)
    if let rejection = network.decideRegistration(&evaluation) {
      // The identifier is in the path.
      let members = ["key-is-on-p256": "publicKey", "postback-url-is-https": "postbackURL"]
      let member = evaluation.failed.flatMap { members[$0.rule] }
      throw .invalidInput([
        InputError([member].compactMap { $0 }, "\(rejection.reason.detail); \(rejection.change)", code: rejection.reason.code)
      ])
    }
    return network
  }
}

extension BrowserWriter {
  /// Changes the device of a new browser in the transaction of its creation.
  ///
  /// - Parameters:
  ///   - device: The device after the change.
  ///   - isJournaled: Whether the change is the first call in the journal.
  func begin(with device: Device, changedBy change: DeviceChange, isJournaled: Bool) throws {
    var row = try state()
    let (now, sequence) = (row.now, try nextSequence())
    try save(device)
    try append(DeviceChanged(properties: device.json), at: now)
    row.registry += 1
    try save(row)
    guard isJournaled else { return }
    let call = JournaledCall(
      action: JSON.Member(CallName.device, .verbatim(change.json.text)), start: now, end: now, firstSequence: sequence,
      nextSequence: try nextSequence(), progress: CallProgress())
    _ = try addToJournal(call.text, within: Journaling.limits)
  }
}
