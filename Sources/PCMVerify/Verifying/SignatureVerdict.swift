package import PCMCore
package import PCMCrypto

/// The findings of a verifier about a postback or an impression.
package struct SignatureVerdict: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The signature verifies, and nothing is wrong.
    case valid
    case invalid
    /// The version or the key is unknown, and nothing else is wrong.
    case unverifiable
  }

  package typealias Subject = SignedSubject

  /// Whether the signature was checked, and with which result.
  package enum Check: String, Hashable, Sendable, CaseIterable {
    case verifies
    case fails
    case notChecked = "not-checked"
  }

  package private(set) var outcome: Outcome
  /// Nil for input that is neither.
  package let framework: AdFramework?
  /// Nil for input that is neither.
  package let subject: Subject?
  /// The version of SKAdNetwork as written, or 1.0 for none; nil for AdAttributionKit, which has no versions.
  package let version: String?
  /// The name of the key that was used, and what it signs.
  package let key: Key?
  /// The signed values, or for AdAttributionKit one value, the signed text; nil if it is unknown.
  package let signedText: SignedText?
  package let check: Check
  /// Members that anyone can change without the signature failing.
  package let unsigned: [JSON.Member]
  package private(set) var faults: [Fault]
  /// Members that a device ignores, although they resemble members that it reads.
  package private(set) var notes: [Fault]
  /// The advice about a signature that fails, or that cannot be checked; nil when no reason was found.
  package private(set) var remedy: SignatureRemedy?

  /// Whether the item was read only after changes, such as decoding. An endpoint does not read it.
  package private(set) var isRepaired = false

  package struct Key: Hashable, Sendable {
    package let name: String
    package let use: String

    init(_ key: NamedKey) {
      name = key.name
      use = key.use
    }
  }

  init(
    framework: AdFramework?, subject: Subject?, version: String? = nil, key: Key? = nil, signedText: SignedText? = nil,
    check: Check = .notChecked, unsigned: [JSON.Member] = [], faults: [Fault], notes: [Fault] = [],
    remedy: SignatureRemedy? = nil, isUnverifiable: Bool = false
  ) {
    outcome = isUnverifiable ? .unverifiable : faults.isEmpty && check == .verifies ? .valid : .invalid
    self.framework = framework
    self.subject = subject
    self.version = version
    self.key = key
    self.signedText = signedText
    self.check = check
    self.unsigned = unsigned
    self.faults = faults
    self.notes = notes
    self.remedy = remedy
  }

  /// The verdict with another remedy.
  func with(_ remedy: SignatureRemedy) -> SignatureVerdict {
    var verdict = self
    verdict.remedy = remedy
    return verdict
  }

  /// The verdict with more findings.
  func adding(faults: [Fault] = [], notes: [Fault] = []) -> SignatureVerdict {
    var verdict = self
    if !faults.isEmpty { verdict.outcome = .invalid }
    verdict.faults += faults
    verdict.notes += notes
    return verdict
  }

  /// The verdict on an item that was read only after changes: it is invalid because of them.
  func repaired(by repairs: [Repair], _ fault: Fault) -> SignatureVerdict {
    let result: RepairResult =
      switch check {
      case .verifies: .verifies
      case .fails where remedy == nil: .fails
      case .fails, .notChecked: .isReadable
      }
    var verdict = with(SignatureRemedy(repairs, result, further: remedy))
    (verdict.outcome, verdict.faults, verdict.isRepaired) = (.invalid, [fault] + faults, true)
    return verdict
  }

  /// The sentences of the remedy.
  package var fix: String? { remedy?.text }

  /// The fault of an unknown object.
  package static let neither =
    "The object is neither a postback (with attribution-signature or jws-string) nor an impression (with signature)."

  /// The verdict on input that cannot be read.
  package static func unreadable(_ detail: String) -> SignatureVerdict {
    SignatureVerdict(framework: nil, subject: nil, faults: [Fault("", detail)])
  }

  package var json: JSON {
    [
      "verdict": .string(outcome.rawValue), "framework": .string(framework?.rawValue), "version": .string(version),
      "key": .string(key?.name), "signedText": .string(signedText?.text), "unsigned": .object(unsigned),
      "faults": .array(faults.map(\.json)), "subject": .string(subject?.rawValue), "signature": .string(check.rawValue),
      "fix": .string(fix), "notes": .array(notes.map(\.json)),
    ]
  }
}

/// The findings of a verifier about an impression, with the values that it read.
package struct ImpressionVerdict<Impression: Hashable & Sendable>: Hashable, Sendable {
  package let verdict: SignatureVerdict
  /// Nil if a signed value is missing or unusable.
  package let impression: Impression?
}
