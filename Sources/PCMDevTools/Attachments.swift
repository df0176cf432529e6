import NIOConcurrencyHelpers
package import PCMCore

/// The attachments of all browsers of a service.
package final class Attachments: Sendable {
  /// An attachment with its name.
  package struct Entry: Sendable {
    /// The name, such as `attachment-1`.
    package let name: String
    let owner: String
    package let attachment: BrowserAttachment
    fileprivate let observed: Observed

    package var json: JSON {
      get async { .object([.init("id", .string(name))] + (await attachment.members)) }
    }
  }

  /// The identity of an observed browser. A second attachment to it would count each click twice.
  fileprivate struct Observed: Hashable {
    let address: DevToolsAddress
    let context: String?

    func overlaps(_ other: Observed) -> Bool {
      address == other.address && (context == nil || other.context == nil || context == other.context)
    }
  }

  private struct State {
    var entries: [Entry] = []
    var tasks: [String: Task<Void, Never>] = [:]
    var lastNumber = 0
    var isStopped = false
  }

  /// The maximum number of attachments. A new attachment replaces the oldest that has ended.
  static let limit = 256

  private let state = NIOLockedValueBox(State())
  private let environment: BrowserAttachment.Environment
  private let allowedHosts: Set<String>
  private let budget = MessageBudget()

  /// - Parameter allowedHosts: Hosts that are not on loopback, in lower case.
  package init(environment: BrowserAttachment.Environment, allowedHosts: Set<String> = []) {
    self.environment = environment
    self.allowedHosts = allowedHosts
  }

  /// Observes a browser, and returns once its pages are observed.
  ///
  /// - Parameters:
  ///   - owner: Identifies the service's browser, even if another browser later has its name.
  ///   - service: Calls the API.
  package func attach(
    _ input: AttachmentInput, to browser: String, owner: String, isOnRealClock: Bool,
    service: @escaping BrowserAttachment.ServiceCall
  ) async throws(DevToolsError) -> Entry {
    let address = try DevToolsAddress(input.devtools, allowedHosts: allowedHosts)
    let attachment = BrowserAttachment(
      BrowserAttachment.Settings(
        address: address, browser: browser, context: input.context, hold: .milliseconds(input.hold.milliseconds),
        isOnRealClock: isOnRealClock), environment: environment, budget: budget, service: service)
    let entry = try await insert(
      attachment, of: Observed(address: address.ofBrowser, context: input.context), owner: owner)
    let task = Task { _ = await attachment.run() }
    let isStopped = state.withLockedValue { state in
      state.tasks[entry.name] = task
      return state.isStopped
    }
    if isStopped { task.cancel() }
    // A canceled call does not wait for a browser that does not respond.
    _ = await withTaskCancellationHandler {
      try? await attachment.started()
    } onCancel: {
      task.cancel()
    }
    do throws(DevToolsError) {
      _ = try await attachment.started()
      return entry
    } catch {
      _ = remove(entry.name, of: owner)
      throw error
    }
  }

  private func insert(
    _ attachment: BrowserAttachment, of observed: Observed, owner: String
  ) async throws(DevToolsError) -> Entry {
    for entry in state.withLockedValue({ $0.entries }) where await entry.attachment.isOver {
      guard observed.overlaps(entry.observed) || isFull else { continue }
      _ = remove(entry.name, of: entry.owner)
    }
    let result = state.withLockedValue { state -> Result<Entry, DevToolsError> in
      if let other = state.entries.first(where: { observed.overlaps($0.observed) }) {
        return .failure(
          DevToolsError(
            .attachedAlready,
            "\(other.observed.context.map { "the context \($0)" } ?? "the browser at \(observed.address.url)") is observed by "
              + "\(other.name) already, and would be counted twice; delete it first"))
      }
      guard state.entries.count < Self.limit else {
        return .failure(DevToolsError(.tooMany, "the service has \(Self.limit) attachments; delete one first"))
      }
      state.lastNumber += 1
      let entry = Entry(name: "attachment-\(state.lastNumber)", owner: owner, attachment: attachment, observed: observed)
      state.entries.append(entry)
      return .success(entry)
    }
    return try result.get()
  }

  private var isFull: Bool { state.withLockedValue { $0.entries.count >= Self.limit } }

  /// Returns the attachments of a browser, oldest first.
  package func entries(of owner: String) -> [Entry] { state.withLockedValue { $0.entries.filter { $0.owner == owner } } }

  package func entry(_ name: String, of owner: String) -> Entry? { entries(of: owner).first { $0.name == name } }

  /// Ends an attachment and continues its held requests.
  ///
  /// - Returns: Whether the attachment existed.
  package func detach(_ name: String, of owner: String) async -> Bool {
    guard let task = remove(name, of: owner) else { return false }
    await task.value
    return true
  }

  /// Ends the attachments of a deleted browser.
  package func detachAll(of owner: String) async {
    let tasks = entries(of: owner).map { remove($0.name, of: owner) }
    for task in tasks { await task?.value }
  }

  /// Ends all attachments. No attachment can begin afterward.
  package func stop() async {
    let tasks = state.withLockedValue { state in
      state.isStopped = true
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  private func remove(_ name: String, of owner: String) -> Task<Void, Never>? {
    let task = state.withLockedValue { state -> Task<Void, Never>? in
      guard let index = state.entries.firstIndex(where: { $0.name == name && $0.owner == owner }) else { return nil }
      state.entries.remove(at: index)
      return state.tasks.removeValue(forKey: name)
    }
    task?.cancel()
    return task
  }
}

extension BrowserAttachment {
  fileprivate var isOver: Bool { if case .ended = state { true } else { false } }
}
