import Logging
import PCMHTTP

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of `serve --record`: a scenario file for each browser, and manifests beside it.
struct RecordingFolder: Sendable {
  private let path: String

  /// Makes the folder if it is not there.
  init(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw StartFailure(description: "cannot create the folder \(path); name another one with --record")
    }
    self.path = path
  }

  func files(logger: Logger) -> SessionRecorder.Files {
    SessionRecorder.Files(
      create: { browser in try create(browser) }, write: { name, bytes in try write(bytes, to: name) },
      fail: { browser, error in
        logger.error("a session is not recorded any further", metadata: ["browser": "\(browser)", "error": "\(error)"])
      })
  }

  /// The browser's own name, or with a number when an earlier session has it.
  private func create(_ browser: String) throws -> String {
    let names = [browser] + (2...9_999).map { "\(browser)-\($0)" }
    guard let name = names.first(where: { !FileManager.default.fileExists(atPath: "\(path)/\($0).yaml") }),
      FileManager.default.createFile(atPath: "\(path)/\(name).yaml", contents: nil)
    else { throw StartFailure(description: "cannot create a file for \(browser) in \(path)") }
    return name
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    guard try LineFile(path: "\(path)/\(name)").append(bytes) else {
      throw StartFailure(description: "cannot write \(path)/\(name)")
    }
  }
}
