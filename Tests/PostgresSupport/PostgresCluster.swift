import Foundation
import Subprocess
import Synchronization
import SystemPackage
package import Testing

/// A PostgreSQL server of a suite. It starts before the first test, and stops after the last one.
package struct PostgresCluster: SuiteTrait, TestScoping {
  struct Failure: Error {
    let text: String
  }

  @TaskLocal private static var current: String?

  /// Returns the folder of the suite's server, with its socket. Its database `postgres` has the superuser `pcm`.
  package static func folder() throws -> String { try #require(current) }

  /// Returns the address of the database.
  ///
  /// - Parameter folder: The folder of the socket; nil for the server's.
  package static func address(folder: String? = nil) throws -> String {
    "postgres://pcm@/postgres?host=\(try folder ?? Self.folder())"
  }

  /// Returns the name of a schema that no other test uses.
  package static func newSchema() -> String { "test_\(schemas.add(1, ordering: .relaxed).newValue)" }
  private static let schemas = Atomic<Int>(0)

  /// Stops the suite's server, which ends its connections.
  package static func stop() async throws { try await control("stop") }

  /// Starts the suite's server again.
  package static func start() async throws { try await control("start") }

  /// Runs a standby of the suite's server, and calls `body` with its folder.
  package static func withStandby(_ body: (String) async throws -> Void) async throws {
    try await run(["standby", folder()], body)
  }

  /// Lets a standby accept writes, and returns when it does.
  package static func promote(_ standby: String) async throws { try await control("promote", standby) }

  private static func control(_ action: String, _ folder: String? = nil) async throws {
    let arguments = try [action, folder ?? Self.folder()]
    let result = try await Subprocess.run(
      script, arguments: Arguments(arguments), output: .discarded, error: .string(limit: 1 << 20))
    guard result.terminationStatus.isSuccess else { throw Failure(text: "pg_ctl \(action): \(result.standardError)") }
  }

  private static var script: Executable {
    .path(
      FilePath(
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
          .appendingPathComponent("PostgreSQL/cluster").path))
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Self.run(["max_connections = 500"]) { folder in
      try await Self.$current.withValue(folder) { try await function() }
    }
  }

  /// Calls `body` with the folder of a server, which stops afterward.
  private static func run(_ arguments: [String], _ body: (String) async throws -> Void) async throws {
    let result = try await Subprocess.run(
      script, arguments: Arguments(arguments), input: .inputWriter, output: .sequence, error: .string(limit: 1 << 20)
    ) { process in
      var lines = process.standardOutput.strings().makeAsyncIterator()
      let folder = try await lines.next()
      if let folder { try await body(folder) }
      try await process.standardInputWriter.finish()
      return folder
    }
    if result.closureResult == nil { throw Failure(text: "PostgreSQL does not start: \(result.standardError)") }
  }
}

extension SuiteTrait where Self == PostgresCluster {
  package static var postgresCluster: Self { PostgresCluster() }
}
