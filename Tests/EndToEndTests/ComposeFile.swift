import Foundation
import ServiceSupport

/// As much of a Compose file as is needed to start its services without containers: lists that have an item a
/// line, and members that stand on one line.
struct ComposeFile {
  private let lines: [Substring]

  init(_ text: String) { lines = text.split(separator: "\n") }

  /// A file of this tree.
  static func ofTheTree(_ path: String = "docker-compose.yml") throws -> ComposeFile { ComposeFile(try text(of: path)) }

  static func text(of path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  func service(_ name: String) -> Service { Service(lines: Self.block("  \(name):", of: Self.block("services:", of: lines))) }

  /// The lines that are further in than a line.
  private static func block<Lines: Collection<Substring>>(_ head: String, of lines: Lines) -> [Substring] {
    let indent = head.prefix { $0 == " " }.count
    let behind = lines.drop { $0 != head }.dropFirst().filter { !$0.drop { $0 == " " }.hasPrefix("#") }
    return Array(behind.prefix { $0.prefix { $0 == " " }.count > indent })
  }

  struct Service {
    fileprivate let lines: [Substring]

    /// The arguments after the image's entry point.
    var command: [String] { items(of: "command") }

    /// The mounts: `NAME:PATH`, optionally followed by `:ro`.
    var volumes: [Volume] {
      items(of: "volumes").map { text in
        let parts = text.split(separator: ":").map(String.init)
        return Volume(name: parts[0], path: parts[1], isReadOnly: parts.dropFirst(2).first == "ro")
      }
    }

    /// The names of the variables that it is given.
    var environment: [String] {
      block(of: "environment").map { String($0.drop { $0 == " " }.prefix { $0 != ":" }) }
    }

    /// The command that says whether it is healthy, which is a list or a text.
    var healthCheck: [String] {
      get throws {
        let head = "      test: "
        let command = block(of: "healthcheck").first { $0.hasPrefix(head) }?.dropFirst(head.count) ?? ""
        guard command.hasPrefix("[") else { return command.split(separator: " ").map(String.init) }
        return try JSONDecoder().decode([String].self, from: Data(command.utf8))
      }
    }

    private func block(of member: String) -> [Substring] { ComposeFile.block("    \(member):", of: lines) }

    private func items(of member: String) -> [String] { block(of: member).map { String($0.dropFirst("      - ".count)) } }
  }

  struct Volume: Hashable {
    let name: String
    let path: String
    let isReadOnly: Bool
  }
}

extension ComposeFile.Service {
  /// An argument with the folders of the machine in place of the mounts.
  func outsideContainer(_ argument: String, volumesIn folder: TemporaryFolder) -> String {
    volumes.reduce(argument) { text, volume in
      guard let range = text.range(of: volume.path), text[..<range.lowerBound].allSatisfy({ $0 != "/" }) else { return text }
      return text.replacingCharacters(in: range, with: "\(folder.path)/\(volume.name)")
    }
  }
}
