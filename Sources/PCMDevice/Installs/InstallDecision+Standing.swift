import PCMCore

extension InstallDecision {
  /// Returns why an ad has its place before the next one, as a clause. Nil for the last of several, and for an ad that was not
  /// considered.
  package func standing(of verdict: InstallVerdict) -> String? {
    guard let place = verdict.place else { return nil }
    guard let next = verdicts.first(where: { $0.place == place + 1 }) else {
      return place == 1 ? "no other ad for the app counts" : nil
    }
    let (ad, other) = (verdict.kept.impression, next.kept.impression)
    let name = RecordName.impression(next.kept.id)
    if ad.interaction != other.interaction {
      return "it is a \(ad.interaction.rawValue), and \(name) is a \(other.interaction.rawValue)"
    }
    if ad.recordedAt > other.recordedAt { return "it is more recent than \(name)" }
    return "it was recorded after \(name), at the same time"
  }
}

extension InstallVerdict {
  /// 1 for the winner; nil for an ad that was not considered.
  package var place: Int? {
    switch outcome {
    case .won: 1
    case .runnerUp(let place), .lost(let place, _): place
    case .notConsidered: nil
    }
  }
}
