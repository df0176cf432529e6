/// The result of a network load and its redirects.
///
/// ```swift
/// let target = "https://news.example/.well-known/private-click-measurement/trigger-attribution/12"
/// try await browser.script("news.example", SiteScript(loads: ["/pixel": [.redirect(to: target)]]))
/// let load = try await browser.load("https://news.example/pixel", on: "https://shop.example/thanks")
/// #expect(load.hops.first?.status == 302)
/// #expect(load.triggeringEvents.map(\.outcome) == [.unmatched])
/// ```
public struct Load: Hashable, Sendable, Decodable {
  /// The requests in order.
  public let hops: [Hop]
  /// The outcomes of the hops that are triggering events.
  public let triggeringEvents: [TriggerOutcome]
  /// The requests and redirects that resemble a triggering event, but are none. Each outcome has the reason.
  public let ignored: [TriggerOutcome]
  /// Why the load caused no triggering event; nil when it caused one.
  public let reason: Reason?
  /// Why the load ended without a response; nil when it ended with one.
  public let error: Reason?

  /// A request.
  public struct Hop: Hashable, Sendable, Decodable {
    /// The requested URL.
    public let url: String
    /// The status of the response; nil without a response.
    public let status: Int?
    /// The target of the redirect as written, with `removed@` instead of a user name and password.
    public let location: String?
    /// Why there is no response.
    public let error: Reason?
  }

  /// The kind of a requested resource. On an https page, WebKit upgrades plain HTTP images to https and blocks everything
  /// else.
  public struct Kind: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An image, such as a tracking pixel.
    public static let image = Kind("image")
    /// An image of `srcset` or `<picture>`.
    public static let imageset = Kind("imageset")
    /// A script.
    public static let script = Kind("script")
    /// A request by `fetch`.
    public static let fetch = Kind("fetch")
    /// A request by `XMLHttpRequest`.
    public static let xhr = Kind("xhr")
    /// A request by a synchronous `XMLHttpRequest`.
    public static let syncXHR = Kind("sync-xhr")
    /// A frame.
    public static let frame = Kind("frame")
    /// A style sheet.
    public static let style = Kind("style")
  }

  /// The method of a request.
  public struct Method: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The method of an image request.
    public static let get = Method("GET")
    /// The method of a submitted form.
    public static let post = Method("POST")
  }
}
