/// How the user came to an ad of AdAttributionKit. It is not signed.
package enum InteractionType: String, Hashable, Sendable, CaseIterable {
  case click
  case view
}
