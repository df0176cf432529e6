/// Whether the user tapped an ad or only saw it, in both frameworks.
package enum InteractionType: String, Hashable, Sendable, CaseIterable {
  case click
  case view
}
