extension StringProtocol {
  /// Text of others as it may be shown: what would steer a terminal, turn the reading direction or be nothing to see is
  /// written as its number. Lines stay lines.
  var visible: String {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(\.visibleLine).joined(separator: "\n")
  }

  private var visibleLine: String {
    var visible = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control where scalar == "\t": visible += "  "
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        visible += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: visible.unicodeScalars.append(scalar)
      }
    }
    return visible
  }
}
