package import PCMCore
package import PCMCrypto

/// The findings of a verifier about a postback or an impression.
package struct SignatureVerdict: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The signature verifies, and there are no faults.
    case valid
    case invalid
    /// The version or the key is unknown, and there are no other faults.
    case unverifiable
  }

  package typealias Subject = SignedSubject

  /// The result of the signature check.
  package enum Check: String, Hashable, Sendable, CaseIterable {
    case verifies
    case fails
    case notChecked = "not-checked"
  }

  package private(set) var outcome: Outcome
  /// The framework; nil for other input.
  package let framework: AdFramework?
  /// The kind of the item; nil for other input.
  package let subject: Subject?
  /// The version of SKAdNetwork as written, or 1.0 for none; nil for AdAttributionKit, which has no versions.
  package let version: String?
  /// The key, with its name and the signatures that it creates.
  package let key: Key?
  /// The signed values; nil if they are unknown. For AdAttributionKit, the signed text is a single value.
  package let signedText: SignedText?
  package let check: Check
  /// Unsigned members, which anyone can change.
  package let unsigned: [JSON.Member]
  package private(set) var faults: [Fault]
  /// Notes about members that a device ignores, although they resemble known members.
  package private(set) var notes: [Fault]
  /// The advice about a signature that fails or cannot be checked; nil if no reason was found.
  package private(set) var remedy: SignatureRemedy?

  /// Whether the item was readable only after changes, such as decoding. An endpoint rejects such an item.
  package private(set) var isRepaired = false

  package struct Key: Hashable, Sendable {
    package let name: String
    package let use: String

    package init(name: String, use: String) { (self.name, self.use) = (name, use) }

    init(_ key: NamedKey) { self.init(name: key.name, use: key.use) }
  }

  package init(
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

  /// Returns the verdict with another remedy.
  func with(_ remedy: SignatureRemedy) -> SignatureVerdict {
    var verdict = self
    verdict.remedy = remedy
    return verdict
  }

  /// Returns the verdict with additional findings.
  func adding(faults: [Fault] = [], notes: [Fault] = []) -> SignatureVerdict {
    var verdict = self
    if !faults.isEmpty { verdict.outcome = .invalid }
    verdict.faults += faults
    verdict.notes += notes
    return verdict
  }

  /// Returns the verdict on an item that was readable only after changes. The changes make it invalid.
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

  /// Returns the verdict on unreadable input.
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

/// The findings of a verifier about an impression, with its values.
package struct ImpressionVerdict<Impression: Hashable & Sendable>: Hashable, Sendable {
  package let verdict: SignatureVerdict
  /// The impression; nil if a signed value is missing or unusable.
  package let impression: Impression?
}
