import PCMCore

extension RuleEvaluation {
  /// Whether each value that the log stores has a limited size.
  var isBounded: Bool { inputs.allSatisfy { $0.value.bytes.count <= 2_000 } }
}
