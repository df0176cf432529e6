import Foundation
import Testing

/// A view as it was recorded in `Fixtures/pages`.
enum GoldenPage {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/pages")

  /// Expects the recorded text. With `PCM_RECORD=1`, writes it first.
  static func expect(_ text: String, isAs name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = folder.appendingPathComponent(name)
    let text = text.hasSuffix("\n") ? text : text + "\n"
    if ProcessInfo.processInfo.environment["PCM_RECORD"] == "1" { try Data(text.utf8).write(to: file) }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    #expect(
      text == recorded, "if the change of \(name) is intended, run PCM_RECORD=1 swift test --filter PageViewTests",
      sourceLocation: sourceLocation)
  }
}
