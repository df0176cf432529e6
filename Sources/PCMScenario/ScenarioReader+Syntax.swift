extension ScenarioReader {
  /// Whether a file is YAML at all, be it a scenario or not.
  package static func isReadable(_ file: [UInt8]) -> Bool {
    guard let source = try? SourceText(file) else { return false }
    return (try? SourceNode.read(source)) != nil
  }
}
