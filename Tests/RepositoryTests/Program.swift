import Foundation
import Subprocess
import SystemPackage

/// Runs a program to its end with no input.
///
/// - Parameter arguments: the first is looked up in `PATH`.
/// - Returns: whether the program succeeded, and its output, both streams in one.
func runProgram(_ arguments: [String], in folder: URL) async throws -> (isSuccess: Bool, output: String) {
  let result = try await run(
    .name(arguments[0]), arguments: Arguments(Array(arguments.dropFirst())), workingDirectory: FilePath(folder.path),
    output: .string(limit: 16 << 20), error: .combinedWithOutput)
  return (result.terminationStatus.isSuccess, result.standardOutput)
}
