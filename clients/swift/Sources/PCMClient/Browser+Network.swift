public import Foundation

extension Browser {
  /// Returns the network that responds to the browser's requests.
  public func network() async throws -> Network {
    let answer: NetworkDescription = try await connection.call("GET", "\(path)/network")
    return answer.mode
  }

  /// Changes the network that responds to the browser's requests.
  ///
  /// With simulated sites, a test needs no endpoint, certificate authority, or DNS. A site without a script accepts reports,
  /// serves a token key, and signs; its pages return 404.
  public func use(_ network: Network) async throws {
    let _: NetworkDescription = try await connection.call("PUT", "\(path)/network", NetworkDescription(mode: network))
  }

  /// Adds the script of a simulated site, or replaces it. It takes effect with simulated sites as the network.
  ///
  /// - Parameter host: A site or one of its hosts, in lowercase.
  public func script(_ host: String, _ script: SiteScript) async throws {
    let _: ScriptedSite = try await connection.call("PUT", "\(path)/sites/\(host.pathPart)", script)
  }

  /// Removes the script of a simulated site, which is a good endpoint then.
  public func removeScript(of host: String) async throws {
    try await connection.send("DELETE", "\(path)/sites/\(host.pathPart)")
  }

  /// Returns the requests that simulated sites received, oldest first. The service keeps the newest 1,000 of a browser, up
  /// to 1 MiB.
  ///
  /// - Parameter host: Returns only requests to this host; nil for all.
  public func messages(to host: String? = nil) async throws -> [SiteMessage] {
    try await connection.items("\(path)/messages", query: host.map { ["host": $0] } ?? [:])
  }
}

/// The network that responds to a browser's requests.
///
/// ```swift
/// try await browser.use(.simulated)
/// #expect(try await browser.network() == .simulated)
/// ```
public struct Network: Term {
  /// The string in the service's JSON.
  public let rawValue: String

  /// Creates a value from any string, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Connections to real hosts.
  public static let real = Network("real")
  /// Simulated sites in the service. No connection is opened, and no name is looked up.
  public static let simulated = Network("simulated")
}

/// The script of a simulated site. Nil members are as for a good endpoint. Of several responses, each is used once, in
/// order, and the last one repeatedly.
///
/// ```swift
/// let script = SiteScript(report: [.status(503), .good], loads: ["/pixel": [.redirect(to: "/thanks"), .failure("timed-out")]])
/// try await browser.script("news.example", script)
/// ```
public struct SiteScript: Hashable, Sendable, Encodable {
  /// The token key that the site serves and signs with.
  public var key: Key?
  /// The responses to reports.
  public var report: [Response]?
  /// The responses to requests for the token key.
  public var tokenKey: [Response]?
  /// The responses to requests for signatures.
  public var sign: [Response]?
  /// The responses to postbacks.
  public var postback: [Response]?
  /// The responses to requests for the signed values of a web ad.
  public var signedPayload: [Response]?
  /// The responses to requests of a measurement SDK.
  public var sdkRequest: [Response]?
  /// The responses of pages, by path and query. Other pages return 404.
  public var loads: [String: [Response]]?

  /// Creates a script.
  public init(
    key: Key? = nil, report: [Response]? = nil, tokenKey: [Response]? = nil, sign: [Response]? = nil,
    postback: [Response]? = nil, signedPayload: [Response]? = nil, sdkRequest: [Response]? = nil,
    loads: [String: [Response]]? = nil
  ) {
    self.key = key
    self.report = report
    self.tokenKey = tokenKey
    self.sign = sign
    self.postback = postback
    self.signedPayload = signedPayload
    self.sdkRequest = sdkRequest
    self.loads = loads
  }

  /// The token key of a simulated site.
  public enum Key: String, Hashable, Sendable, Encodable {
    case first, second
  }

  /// The response to one request. Nil members have the values of a good endpoint's response.
  public struct Response: Hashable, Sendable, Encodable {
    var status: Int?
    var contentType: String?
    var body: String?
    var location: String?
    var failure: String?
    var forged: Bool?
    var short: Bool?
    var ad: WebAd?
    var signedAs: SignedWebAd?

    /// The response of a good endpoint.
    public static let good = Response()

    /// A response with a status.
    public static func status(_ status: Int, contentType: String? = nil, body: String? = nil) -> Response {
      Response(status: status, contentType: contentType, body: body)
    }

    /// A redirect.
    public static func redirect(to location: String, status: Int? = nil) -> Response {
      Response(status: status, location: location)
    }

    /// No response, for a reason such as `timed-out` or `connection-failed`.
    public static func failure(_ code: String) -> Response { Response(failure: code) }

    /// A signature with a flipped bit.
    public static let forgedSignature = Response(forged: true)

    /// A signature without its last byte.
    public static let shortSignature = Response(short: true)

    /// The values of a web ad, signed with the published test key.
    ///
    /// - Parameters:
    ///   - ad: The values that differ from the test ad.
    ///   - signed: The values that are signed instead; nil for the response's values.
    ///   - fault: A fault of the signature.
    public static func webAd(_ ad: WebAd = WebAd(), signedAs signed: WebAd? = nil, fault: SignatureFault? = nil) -> Response {
      let changes = signed != nil || fault != nil ? SignedWebAd(values: signed ?? WebAd(), fault: fault) : nil
      return Response(ad: ad, signedAs: changes)
    }

    private enum CodingKeys: String, CodingKey {
      case status, body, location, failure, forged, short, ad, signedAs
      case contentType = "content-type"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case key, report, sign, postback, loads
    case tokenKey = "token-key"
    case signedPayload = "signed-payload"
    case sdkRequest = "sdk-request"
  }
}

/// A request that a simulated site received.
///
/// ```swift
/// let messages = try await browser.messages(to: "news.example")
/// let report = try #require(messages.first { $0.kind == "report" })
/// #expect(report.method == "POST" && report.httpStatus == 200)
/// #expect(!report.headers.contains { $0.name == "cookie" })
/// ```
public struct SiteMessage: Hashable, Sendable, Decodable {
  /// The identifier: `message-7`.
  public let id: String
  /// The time on the browser's clock.
  public let at: Date
  /// The host that received the request.
  public let host: String
  /// `report`, `token-key`, `sign`, `load`, `postback`, `signed-payload`, or `sdk-request`.
  public let kind: String
  /// `GET` or `POST`.
  public let method: String
  /// The URL.
  public let url: String
  /// The headers as HTTP/2 sends them, in wire order.
  public let headers: [Header]
  /// The body; nil for a request without one.
  public let body: String?
  /// The status of the response; nil without a response.
  public let httpStatus: Int?
  /// The code of the failure that the browser saw instead of a response.
  public let failure: String?

  /// A header of a request.
  public struct Header: Hashable, Sendable, Decodable {
    /// The name in lowercase.
    public let name: String
    /// The value.
    public let value: String
  }
}

private struct NetworkDescription: Codable {
  let mode: Network
}

private struct ScriptedSite: Decodable {
  let host: String
}
