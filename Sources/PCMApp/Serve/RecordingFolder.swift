import Logging
import PCMHTTP

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of `serve --record`, with a scenario file for each browser, and its manifests. Only the owner may read the files.
struct RecordingFolder: Sendable {
  private let path: String

  /// Creates the folder if it is missing.
  init(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw StartError(description: "cannot create the folder \(path); choose another one with --record")
    }
    self.path = path
  }

  func files(logger: Logger) -> ScenarioRecorder.Files {
    ScenarioRecorder.Files(
      create: { browser in try create(browser) }, write: { name, bytes in try write(bytes, to: name) },
      fail: { browser, error in
        logger.error(
          "the recording of a browser ended",
          metadata: Logger.Metadata(error: error).merging(["browser": "\(browser)"]) { $1 })
      })
  }

  /// The browser's name, with an underscore in place of each ASCII character that is special in paths or in shells, and with
  /// a number when an earlier recording used it or left manifests. An underscore precedes a name that would be a hidden file,
  /// because `run` ignores hidden files in a folder.
  func create(_ browser: String) throws -> String {
    let safe = String(String.UnicodeScalarView(browser.unicodeScalars.map { Self.isSafe($0) ? $0 : "_" }))
    let visible = safe.hasPrefix(".") ? "_" + safe : safe
    let names = [visible] + (2...9_999).map { "\(visible)-\($0)" }
    guard
      let name = names.first(where: { name in
        [".yaml", "-app-1.plist"].allSatisfy { !FileManager.default.fileExists(atPath: "\(path)/\(name)\($0)") }
      }),
      FileManager.default.createFile(
        atPath: "\(path)/\(name).yaml", contents: nil, attributes: [.posixPermissions: 0o600])
    else { throw StartError(description: "cannot create a file for \(browser) in \(path)") }
    return name
  }

  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-._~".unicodeScalars.contains(scalar)
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    try LineFile(path: "\(path)/\(name)", isSecret: true).append(bytes)
  }
}
