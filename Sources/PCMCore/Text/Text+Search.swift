extension String {
  /// Returns whether the text contains all words, regardless of case. A word may be a part of another one.
  package func containsAll(_ words: [String]) -> Bool {
    let text = lowercased()
    return words.allSatisfy { text.contains($0.lowercased()) }
  }
}
