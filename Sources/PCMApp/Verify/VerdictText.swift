import PCMCore
import PCMCrypto
import PCMVerify

/// A verdict for people.
struct VerdictText {
  let verdict: SignatureVerdict
  let name: String
  var style = TerminalStyle.plain
  /// The outcome in a log; nil for the verdict's.
  var judged: JudgedItem?

  private static let indent = 10
  /// Enough for the longest text that a device signs, in lines and in Unicode scalars.
  private static let lineLimit = 24
  private static let scalarLimit = 4_000

  var text: String {
    var lines = ["\(name.visible): \(outcome)\(subject)"]
    if let key = verdict.key { lines += field("key", "\(key.name): \(key.use)") }
    if let signed = verdict.signedText {
      // Not wrapped, so that it can be copied.
      lines.append("signed".padding(to: Self.indent) + shortened(signed.visible).visible)
      if signed.values.count > 1 { lines += field("", "(| stands for U+2063)") }
    }
    if !verdict.unsigned.isEmpty {
      lines += field("unsigned", verdict.unsigned.map { "\($0.name) \($0.value.text)" }.joined(separator: ", "))
    }
    if verdict.outcome == .invalid, verdict.check == .verifies { lines += field("signature", "verifies") }
    let faults = judged?.faults ?? verdict.faults
    for fault in faults { lines += field(judged?.outcome == .neither ? "note" : "fault", Self.sentence(fault)) }
    for note in judged?.notes ?? verdict.notes { lines += field("note", Self.sentence(note)) }
    if let fix = judged.map(\.fix) ?? Self.fix(verdict) { lines += field("fix", fix) }
    return lines.joined(separator: "\n") + "\n"
  }

  private var outcome: String {
    let word = judged?.outcome.rawValue ?? verdict.outcome.rawValue
    return switch word {
    case "valid": style.green(word)
    case "invalid", "contradiction": style.red(word)
    default: style.yellow(word)
    }
  }

  private var subject: String {
    if judged?.isReport == true { return ", a report of a click" + (verdict.version.map { ", version \($0)" } ?? "") }
    guard let framework = verdict.framework else { return "" }
    let name = [framework.title, verdict.version].compactMap { $0 }.joined(separator: " ").visible
    return switch verdict.subject {
    case .postback: ", a postback of \(name)"
    case .impression: ", an ad impression of \(name)"
    case nil: ", \(name)"
    }
  }

  static func sentence(_ fault: Fault) -> String {
    fault.pointer.isEmpty ? fault.detail : "\(fault.pointer): \(fault.detail)"
  }

  /// The remedy for an invalid item; nil when the faults contain it.
  static func fix(_ verdict: SignatureVerdict) -> String? {
    if let fix = verdict.fix {
      let isAboutKey = verdict.key == nil && verdict.remedy?.instruction.contains("public key") == true
      return fix + (isAboutKey ? " Name its file with --key." : "")
    }
    guard verdict.check == .fails else { return nil }
    return "A signed member was changed, or another key signed it. Verify the members exactly as they were received."
  }

  private func shortened(_ value: String) -> String {
    value.truncated(to: Self.scalarLimit)
  }

  private func field(_ name: String, _ value: String) -> [String] { Self.field(name, shortened(value)) }

  static func field(_ name: String, _ value: String) -> [String] {
    let lines = TerminalText.lines(value, indent: indent, limit: lineLimit)
    return lines.enumerated().map { index, line in
      index == 0 ? name.padding(to: indent) + line.dropFirst(indent) : line
    }
  }
}
