import Foundation
import Subprocess
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

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("PostgreSQL/cluster").path
    let result = try await Subprocess.run(
      .path(FilePath(script)), arguments: ["max_connections = 400"], input: .inputWriter, output: .sequence,
      error: .string(limit: 1 << 20)
    ) { process in
      var lines = process.standardOutput.strings().makeAsyncIterator()
      let folder = try await lines.next()
      if let folder { try await Self.$current.withValue(folder) { try await function() } }
      try await process.standardInputWriter.finish()
      return folder
    }
    if result.closureResult == nil { throw Failure(text: "PostgreSQL does not start: \(result.standardError)") }
  }
}

extension SuiteTrait where Self == PostgresCluster {
  package static var postgresCluster: Self { PostgresCluster() }
}
