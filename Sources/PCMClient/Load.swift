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

  /// What a page requests. On an https page, WebKit upgrades plain HTTP images to https and blocks everything else.
  public struct Kind: Term {
    /// The value as the service writes it.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An image, such as a tracking pixel.
    public static let image = Kind("image")
    /// A script.
    public static let script = Kind("script")
    /// A request by `fetch` or `XMLHttpRequest`.
    public static let fetch = Kind("fetch")
    /// A frame.
    public static let frame = Kind("frame")
    /// A style sheet.
    public static let style = Kind("style")
  }

  /// How something is asked for.
  public struct Method: Term {
    /// The value as the service writes it.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// As an image is.
    public static let get = Method("GET")
    /// As a form is sent.
    public static let post = Method("POST")
  }
}
