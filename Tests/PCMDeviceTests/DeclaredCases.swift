import Foundation

/// The cases of the enumerations with a reason, as the sources of PCMDevice declare them, so that no case lacks a sample.
enum DeclaredCases {
  /// Such as `UpdateRejection.conversionEnded`.
  static func withReason() throws -> Set<String> {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/PCMDevice")
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
    return Set(try files.flatMap { file in cases(in: try String(contentsOf: sources.appending(path: file), encoding: .utf8)) })
  }

  /// The enumerations begin and end at the start of a line, their cases and properties are indented by two spaces.
  private static func cases(in source: String) -> [String] {
    var (cases, enumeration, names, hasReason) = ([String](), "", [String](), false)
    for line in source.split(separator: "\n") {
      if line.hasPrefix("package enum ") {
        enumeration = String(line.dropFirst("package enum ".count).prefix(while: \.isLetter))
        (names, hasReason) = ([], false)
      } else if line.hasPrefix("  case ") {
        names.append(String(line.dropFirst("  case ".count).prefix { $0.isLetter || $0.isNumber }))
      } else if line.hasPrefix("  package var reason: Reason") {
        hasReason = true
      } else if line == "}", hasReason {
        cases += names.map { "\(enumeration).\($0)" }
        hasReason = false
      }
    }
    return cases
  }

  /// The name of a value's case in the same form.
  static func name(_ sample: ReasonSample) -> String {
    let mirror = Mirror(reflecting: sample.value)
    let name = mirror.children.first?.label ?? "\(sample.value)"
    return "\(mirror.subjectType).\(name)"
  }
}
