import PCMDevice

extension ImpressionDecision {
  /// The recorded ad; nil for another decision.
  var recorded: AdImpression? {
    guard case .record(let impression, _) = self else { return nil }
    return impression
  }

  /// The view that began; nil for another decision.
  var view: OpenView? {
    guard case .open(let view, _) = self else { return nil }
    return view
  }

  var rejection: ImpressionRejection? {
    guard case .reject(let rejection) = self else { return nil }
    return rejection
  }

  /// Nil for a refused ad.
  var notes: [ImpressionNote]? {
    switch self {
    case .record(_, let notes), .open(_, let notes): notes
    case .reject: nil
    }
  }
}
