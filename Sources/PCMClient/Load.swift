/// What came of a real request and its redirects.
public struct Load: Hashable, Sendable, Decodable {
  /// Every request, in order.
  public let hops: [Hop]
  /// What became of the hops that were triggering events.
  public let triggeringEvents: [TriggerOutcome]
  /// Why it ended without an answer; nil when it ended with one.
  public let error: Reason?

  /// One request.
  public struct Hop: Hashable, Sendable, Decodable {
    /// What was asked for.
    public let url: String
    /// What the server answered; nil when it did not.
    public let status: Int?
    /// Where it redirected to, as written.
    public let location: String?
    /// Why there is no answer.
    public let error: Reason?
  }

  /// How something is asked for.
  public struct Method: Term {
    /// The word as it stands in the service\'s answers.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// As an image is.
    public static let get = Method("GET")
    /// As a form is sent.
    public static let post = Method("POST")
  }
}
