import Foundation

/// A program that is run to its end with no input.
enum Subprocess {
  /// The first argument is looked up as the shell does; a program that does not exist ends with status 127. Standard
  /// error goes the way of standard output.
  static func run(_ arguments: [String], in folder: URL) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
