extension StringProtocol {
  /// Text of others as it may be shown: what would steer a terminal, turn the reading direction or be nothing to see is
  /// written as its number. Lines stay lines.
  var visible: String {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(\.visibleLine).joined(separator: "\n")
  }

  private var visibleLine: String {
    var visible = ""
    for scalar in unicodeScalars {
      if scalar == "\t" {
        visible += "  "
      } else if scalar.isSteering {
        visible += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        visible.unicodeScalars.append(scalar)
      }
    }
    return visible
  }
}

extension String {
  /// The same JSON for a terminal: what JSON leaves as it is within texts, and would still steer one, is escaped. A reader
  /// of JSON sees no difference.
  var withoutSteering: String {
    guard unicodeScalars.contains(where: \.isSteering) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isSteering {
        for unit in String(scalar).utf16 { text += "\\u" + String(UInt32(unit) + 0x10000, radix: 16).dropFirst() }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether it steers a terminal, turns the reading direction or is nothing to see.
  fileprivate var isSteering: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }
}
