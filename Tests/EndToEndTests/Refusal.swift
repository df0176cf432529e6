import Foundation
import ServiceSupport

/// How a command that cannot do its work ends.
struct Refusal {
  let status: Int32
  let output: String
  /// What it wrote to standard error.
  let message: String

  init(_ arguments: [String], environment: [String: String] = [:]) async throws {
    let folder = try TemporaryFolder()
    let log = folder.path + "/log"
    try Data().write(to: URL(fileURLWithPath: log))
    guard let handle = FileHandle(forWritingAtPath: log) else { throw CocoaError(.fileNoSuchFile) }
    (status, output) = try await ServiceProcess.run(arguments, environment: environment, log: handle)
    message = try String(contentsOfFile: log, encoding: .utf8)
  }

  /// Whether the message looks like a Swift value and not like words for people.
  var isDump: Bool {
    ["(errno", "errno:", "(code:", "Error(", "Optional(", "descriptor:", "Domain=", "NIO", "SQLITE", "__C."]
      .contains { message.contains($0) }
  }
}
