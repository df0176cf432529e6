/// Lets one task at a time through, in the order of their coming: two calls that move the same clock must not mix.
actor Turn {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func giveBack() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
