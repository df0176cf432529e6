import PCMCore

@testable import PCMDevice

extension ImpressionDecision {
  /// The recorded ad; nil for another decision.
  var recorded: AdImpression? {
    guard case .record(let impression, _) = self else { return nil }
    return impression
  }

  /// The ad whose view began; nil for another decision.
  var view: AdImpression? {
    guard case .open(let view, _) = self else { return nil }
    return view
  }

  var rejection: Violation? {
    guard case .reject(let rejection) = self else { return nil }
    return rejection
  }

  /// Nil for a refused ad.
  var notes: [Reason]? {
    switch self {
    case .record(_, let notes), .open(_, let notes): notes
    case .reject: nil
    }
  }
}

extension ConversionAction {
  /// Why a call changes nothing; nil for another action.
  var rejection: Violation? { if case .reject(_, let rejection) = self { rejection } else { nil } }
  var code: String? { rejection?.reason.code }
}
