/// An observation of a click or a redirect in a real page. It changes no decision: events and explanations repeat it.
///
/// ```swift
/// let seen = Provenance(frame: "https://ads.example/frame", load: "image")
/// try await browser.trigger(.pixel(of: "news.example", data: 12, on: "https://shop.example/thanks"), observed: seen)
/// ```
public struct Provenance: Hashable, Sendable, Codable {
  /// The URL of the iframe with the link or the load, at most 2,048 bytes; nil for the page itself.
  public var frame: String?
  /// The kind of load in a word, such as `image`, at most 32 bytes.
  public var load: String?
  /// Whether the observer inferred a value that it did not see, such as the page.
  public var inferred: Bool

  /// Creates an observation.
  public init(frame: String? = nil, load: String? = nil, inferred: Bool = false) {
    self.frame = frame
    self.load = load
    self.inferred = inferred
  }
}

extension Provenance: CustomStringConvertible {
  /// `image in the iframe https://ads.example/, inferred`
  public var description: String {
    let place = frame.map { "in the iframe \($0)" } ?? "in the page"
    return [load, place].compactMap { $0 }.joined(separator: " ") + (inferred ? ", inferred" : "")
  }
}
