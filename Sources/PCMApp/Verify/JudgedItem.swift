import ArgumentParser
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMVerify

/// An item with its verdict, alone and among the other items.
struct JudgedItem: Sendable {
  enum Outcome: String, CaseIterable, ExpressibleByArgument {
    case valid, invalid, unverifiable
    /// A copy of an earlier item with other unsigned values.
    case contradiction
    /// A copy of an earlier item.
    case duplicate
    /// A report of a click whose tokens are missing or cannot be verified.
    case notSigned = "not-signed"
    /// Neither a postback nor an impression nor a report.
    case neither
  }

  let name: String
  let verdict: SignatureVerdict
  let isReport: Bool
  private(set) var outcome: Outcome
  /// The values of the item that the summary of the log counts, such as its version and its campaign.
  let facts: [Fact]
  let identities: [SIMD2<UInt64>]
  let values: UnsignedValues
  /// The place of the first copy, and the names of the values that differ from it.
  private(set) var first: (place: String, changed: [String])?

  typealias Fact = (distribution: LogSummary.Distribution, value: String)

  init(_ name: String, _ found: FoundVerdict, _ logged: LoggedItem, _ members: PostbackMembers?, isMalformed: Bool) {
    (self.name, verdict, isReport) = (name, logged.verdict, found.isReport)
    (identities, values) = (logged.identities, logged.values)
    outcome =
      switch verdict.outcome {
      case .valid: .valid
      case .unverifiable: found.isReport ? .notSigned : .unverifiable
      case .invalid: !found.isReport && verdict.framework == nil && !isMalformed ? .neither : .invalid
      }
    if outcome == .notSigned || outcome == .valid && found.isReport {
      facts = Self.facts(ofReport: found.value, logged.verdict)
    } else if outcome == .valid, let members {
      facts = Self.facts(members, logged.verdict)
    } else {
      facts = []
    }
  }

  /// Records that the item is a copy.
  mutating func isCopy(ofItemAt place: String, changed: [String]) {
    (outcome, first) = (changed.isEmpty ? .duplicate : .contradiction, (place, changed))
  }

  var faults: [Fault] {
    guard let first, outcome == .contradiction else { return verdict.faults }
    return verdict.faults + first.changed.map { Fault("/\($0)", "\($0) differs from the first copy, at \(first.place).") }
  }

  var notes: [Fault] {
    guard let first, outcome == .duplicate else { return verdict.notes }
    return verdict.notes + [Fault("", "The first copy is at \(first.place).")]
  }

  var fix: String? {
    outcome == .contradiction
      ? "Count the first copy alone. The values are not signed, and anyone can change them." : VerdictText.fix(verdict)
  }

  /// - Parameter isNamed: Whether the item has a name.
  func json(isNamed: Bool) -> String {
    let members = verdict.json.members.map { member in
      switch member.name {
      case "verdict": JSON.Member("verdict", .string(outcome.rawValue))
      case "subject" where isReport: JSON.Member("subject", "report")
      case "faults": JSON.Member("faults", .array(faults.map(\.json)))
      case "fix": JSON.Member("fix", .string(fix))
      default: member
      }
    }
    let copy = first.map { first in
      [JSON.Member("duplicateOf", .string(first.place)), JSON.Member("changed", .array(first.changed.map { .string($0) }))]
    }
    return JSON.object((isNamed ? [.init("item", .string(name))] : []) + members + (copy ?? [])).text.withoutSteering + "\n"
  }

  private static func facts(ofReport report: JSON, _ verdict: SignatureVerdict) -> [Fact] {
    [(.versions, "Private Click Measurement \(verdict.version ?? "")")]
      + [("source_id", .campaigns), ("trigger_data", .values)].map { name, distribution in
        (distribution, "\(name) \(report[name]?.text ?? "")")
      }
  }

  private static func facts(_ members: PostbackMembers, _ verdict: SignatureVerdict) -> [Fact] {
    func texts(_ names: [String], _ value: (String) -> JSON?) -> [String] {
      names.compactMap { name in value(name).map { "\(name) \($0.string ?? $0.text)" } }
    }
    let unsigned = { (name: String) in verdict.unsigned.first { $0.name == name }?.value }
    let version = [members.framework.title, verdict.version].compactMap { $0 }.joined(separator: " ")
    let value = texts(["conversion-value", "coarse-conversion-value"], unsigned).first ?? "none"
    return [(.versions, version), (.values, value)]
      + texts(["source-identifier", "campaign-id"]) { members.signed[$0] }.map { (.campaigns, $0) }
      + texts(["postback-sequence-index"]) { members.signed[$0] }.map { (.windows, $0) }
  }
}

/// Judges the items of files, each alone.
struct ItemJudge: Sendable {
  let verifier: SignatureVerifier
  /// The token keys of sites; without a site, of all others.
  let tokenKeys: [String?: [TokenPublicKey]]

  func items(in item: SignedItem, isList: Bool) -> [JudgedItem] {
    let found = verifier.verdicts(on: item.bytes, isLine: item.line != nil)
    return found.map { one in
      let name = one.pointer.isEmpty ? item.name : "\(item.name)#\(one.pointer)"
      let place = one.pointer == "/body" ? Self.place(item.bytes) : nil
      let isPostback = one.verdict.subject == .postback
      let members = isPostback ? PostbackMembers(one.value) : nil
      let logged =
        one.isReport
        ? LoggedItem(report: one.value, host: place?.host ?? "") { tokenKeys[$0] ?? tokenKeys[nil] ?? [] }
        : LoggedItem(one.verdict, members, place: place.map { $0.host + $0.path } ?? "")
      let text = one.value.string?.drop(while: \.isWhitespace)
      let isMalformed = text?.hasPrefix("{") == true || text?.hasPrefix("[{") == true
      return JudgedItem(name, one, logged, members, isMalformed: isMalformed || !(isList || found.count > 1))
    }
  }

  /// Returns the host and the path of a request that `receive` recorded, because each URL counts a postback once.
  private static func place(_ bytes: [UInt8]) -> (host: String, path: String)? {
    guard let entry = JSON(parsing: bytes, keepingNumbers: true), let host = entry["host"]?.string,
      let path = entry["path"]?.string
    else { return nil }
    return (host, String(path.prefix { $0 != "?" }))
  }
}
