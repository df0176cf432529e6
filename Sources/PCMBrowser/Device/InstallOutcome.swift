package import PCMCore
import PCMCrypto
package import PCMDevice

/// The outcome of an install.
package struct InstallOutcome: Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case attributed
    case unattributed
  }

  /// The outcome for each ad for the app that the device kept.
  package let decision: InstallDecision
  /// The conversion that the install began; nil if no ad led to it.
  package let conversion: Int64?
  /// The number of the install and of its event.
  package let sequence: Int64
  package let at: Instant

  package var kind: Kind { conversion == nil ? .unattributed : .attributed }
  package var reasons: [Reason] { [decision.absence?.reason].compactMap { $0 } }
}

/// The outcome of a launch.
package struct LaunchOutcome: Hashable, Sendable {
  package let bundleIdentifier: String
  /// Whether it is the first launch after the install.
  package let isFirst: Bool
  package let sequence: Int64
  package let at: Instant
}

/// The outcome of a call that reports a value.
package struct ConversionValueOutcome: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The value counts for at least one conversion.
    case accepted
    case rejected
  }

  /// Whether the value counts, for each conversion.
  package let effects: [ConversionAction]
  package let bundleIdentifier: String
  package let sequence: Int64
  package let at: Instant

  package var kind: Kind { effects.contains { $0.rejection == nil } ? .accepted : .rejected }
  /// Why the call has no effect, or the values that the windows ignore, once each.
  package var reasons: [Reason] {
    guard kind == .accepted else { return effects.compactMap { $0.rejection?.reason } }
    return effects.compactMap { $0.note?.reason }.reduce(into: []) { reasons, reason in
      if !reasons.contains(where: { $0.code == reason.code }) { reasons.append(reason) }
    }
  }
  /// The error that the app receives.
  package var appleError: AppleError? { kind == .accepted ? nil : effects.compactMap { $0.rejection?.appleError }.first }
}

extension InstallOutcome: OperationOutcome {
  package var json: JSON {
    let install = decision.install
    return [
      "id": .string(RecordName.install(sequence)), "at": .string(at.text), "outcome": .string(kind.rawValue),
      "bundleIdentifier": .string(install.app.bundleIdentifier), "redownload": .bool(install.isRedownload),
      "conversionId": .string(conversion.map(RecordName.conversion)),
      "winnerId": .string((decision.winner?.id).map(RecordName.impression)), "reasons": .array(reasons.map(\.json)),
      "change": .string(decision.absence?.change),
      "impressions": .array(decision.candidates.map { $0.json(standing: decision.standing(of: $0)) }),
      "sequence": .number(sequence),
    ]
  }

  package var progress: CallProgress { CallProgress(outcome: kind.rawValue, reasons: reasons) }
}

extension InstallCandidate {
  fileprivate func json(standing: String?) -> JSON {
    [
      "id": .string(RecordName.impression(kept.id)), "outcome": .string(outcome),
      "place": .number(place.map { Int64($0) }), "standing": .string(standing),
      "reasons": .array([rejection].compactMap { $0?.reason.json }), "change": .string(rejection?.change),
    ]
  }
}

extension LaunchOutcome: OperationOutcome {
  package var json: JSON {
    [
      "at": .string(at.text), "bundleIdentifier": .string(bundleIdentifier), "first": .bool(isFirst),
      "sequence": .number(sequence),
    ]
  }
}

extension ConversionValueOutcome: OperationOutcome {
  package var json: JSON {
    [
      "at": .string(at.text), "outcome": .string(kind.rawValue), "bundleIdentifier": .string(bundleIdentifier),
      "reasons": .array(reasons.map(\.json)), "appleError": appleError?.json ?? .null,
      "conversions": .array(effects.map(\.effect)), "sequence": .number(sequence),
    ]
  }

  package var progress: CallProgress { CallProgress(outcome: kind.rawValue, reasons: reasons) }
}

extension ConversionAction {
  package var rejection: Violation? { if case .reject(_, let rejection) = self { rejection } else { nil } }
  /// The values of a counted call that the window ignores.
  var note: Violation? { if case .accept(_, _, _, let note) = self { note } else { nil } }

  /// The effect of a call on one conversion.
  fileprivate var effect: JSON {
    let (conversion, index, values): (Int64?, Int?, ReportedValues?) =
      switch self {
      case .accept(let conversion, let index, let values, _): (conversion, index, values)
      case .reject(let conversion, _): (conversion, nil, nil)
      case .schedule, .drop: (nil, nil, nil)
      }
    let violation = rejection ?? note
    return [
      "id": .string(conversion.map(RecordName.conversion)), "outcome": .string(rejection == nil ? "accepted" : "rejected"),
      "sequenceIndex": .number(index.map { Int64($0) }), "fineValue": .number(values?.fine),
      "coarseValue": .string(values?.coarse?.rawValue), "reasons": .array([violation].compactMap { $0?.reason.json }),
      "change": .string(violation?.change),
    ]
  }
}
