import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMVerify

/// A received postback as one line for people.
struct PostbackLine {
  private let entry: Entry

  /// - Returns: Nil for another request.
  init?(_ entry: Entry) {
    guard entry.received.kind == .postback else { return nil }
    self.entry = entry
  }

  /// Enough for a sentence about a fault, and at most 4,000 bytes.
  static let limit = 1_000

  var text: String { entry.line(parts) }

  private var parts: [String] {
    guard let verdict = entry.verdict.postback else {
      return ["not processed"] + (entry.fault.map { ["fault \($0.rawValue)"] } ?? [])
    }
    let (postback, signature) = (verdict.postback, verdict.postback.signature)
    let framework = signature.framework.map { [$0.title, signature.version].compactMap { $0 }.joined(separator: " ") }
    let identity = postback.identity.map { "\($0.identifier) index \($0.sequenceIndex)" }
    let key = signature.key.map { "key \($0.name)" }
    return [outcome(verdict), framework, identity, postback.environment?.rawValue, key, detail(verdict)].compactMap { $0 }
  }

  private func outcome(_ verdict: PostbackVerdict) -> String {
    if let duplicate = verdict.duplicate { return "duplicate of \(duplicate.number)" }
    return entry.verdict.outcome == .refused ? "rejected" : verdict.postback.signature.outcome.rawValue
  }

  private func detail(_ verdict: PostbackVerdict) -> String? {
    if let changed = verdict.duplicate?.changed, !changed.isEmpty {
      return "the first copy counts: \(changed.joined(separator: " and ")) differs"
    }
    if let error = entry.verdict.error { return error.detail }
    return verdict.postback.signature.faults.first.map { $0.pointer.isEmpty ? $0.detail : "\($0.pointer): \($0.detail)" }
  }
}

extension Entry {
  /// Returns a line for people about the request, without characters that control a terminal.
  func line(_ parts: [String]) -> String {
    let line = "\(received.kind.rawValue) \(number) at \(received.host): \(parts.joined(separator: ", "))"
    let visible = line.visible.split(whereSeparator: \.isNewline).joined(separator: " ")
    guard visible.unicodeScalars.count > PostbackLine.limit else { return visible }
    return String(visible.unicodeScalars.prefix(PostbackLine.limit - 1)) + "…"
  }
}
