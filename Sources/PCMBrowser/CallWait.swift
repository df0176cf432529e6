/// Runs the wait of a call, such as in a task that another event cancels, and returns or throws after it.
package typealias CallWait = (_ wait: @escaping @Sendable () async throws -> Void) async throws -> Void

/// Waits in the task of the call.
package func waitInTask(_ wait: @escaping @Sendable () async throws -> Void) async throws { try await wait() }
