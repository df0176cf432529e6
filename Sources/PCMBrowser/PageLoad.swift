package import PCMCore
import PCMDelivery
import PCMSites

/// A load that proceeds hop by hop (Fetch Standard, "HTTP-redirect fetch").
struct PageLoad: Sendable {
  /// The URL of the next request.
  private(set) var url: WebURL
  private(set) var method: OutgoingRequest.Method
  private(set) var outcome = LoadOutcome()

  static let redirectLimit = 20
  private static let redirectStatuses: Set<Int> = [301, 302, 303, 307, 308]

  private let kind: LoadKind
  private let page: WebURL

  init(url: WebURL, method: OutgoingRequest.Method, kind: LoadKind, page: WebURL) {
    self.url = url
    self.method = method
    self.kind = kind
    self.page = page
  }

  /// A redirect in a response.
  struct Redirect: Sendable {
    let from: WebURL
    let to: WebURL
    /// The target before normalization.
    let toText: String
  }

  /// Returns whether to send the next request. An HTTP request of an https page is upgraded or ends the load.
  mutating func admit(sites: SiteParser) -> Bool {
    switch MixedContent.treatment(of: url, kind: kind, on: page) {
    case .load: return true
    case .upgrade:
      // The normal form omits the default port, so the upgraded URL uses the default port of https.
      do throws(URLParsingError) {
        url = try sites.url("https" + url.text.dropFirst("http".count))
        return true
      } catch {
        outcome.error = Reason("location-invalid", "\(shownURL) cannot be requested over https: \(error.detail)")
        return false
      }
    case .block:
      outcome.error = Reason(
        "mixed-content-blocked", "an https page does not load the \(kind.rawValue) \(shownURL); request an https URL")
      return false
    }
  }

  /// Applies a response. Returns its redirect, or nil when the load ends.
  mutating func receive(_ exchange: Exchange, sites: SiteParser) -> Redirect? {
    var hop = LoadOutcome.Hop(
      url: shownURL, status: exchange.httpStatus, location: exchange.location?.withMarkedUserInformation, error: nil)
    let location = hop.status.map(Self.redirectStatuses.contains) == true ? exchange.location : nil
    // The head of a response is sufficient for a redirect, whatever happens to its body. An empty Location counts as none
    // (WebKit).
    guard let location, !location.isEmpty else {
      hop.error = Self.failure(of: exchange)
      end(with: hop)
      return nil
    }
    guard outcome.hops.count < Self.redirectLimit else {
      outcome.hops.append(hop)
      outcome.error = Reason("too-many-redirects", "a browser stops after \(Self.redirectLimit) redirects")
      return nil
    }
    do throws(URLParsingError) {
      let text = try sites.redirectTarget(of: location, from: url)
      let redirect = Redirect(from: url, to: try sites.url(text), toText: text)
      guard redirect.to.isHTTPFamily else {
        hop.error = Reason("location-not-http", "the Location's scheme is \(redirect.to.scheme), not http or https")
        end(with: hop)
        return nil
      }
      outcome.hops.append(hop)
      follow(redirect, status: hop.status)
      return redirect
    } catch {
      hop.error = Reason("location-invalid", "the Location is invalid: \(error.detail)")
      end(with: hop)
      return nil
    }
  }

  mutating func add(_ event: TriggerOutcome) {
    outcome.triggeringEvents.append(event)
  }

  /// The URL without the user information of URLs in its path and query.
  private var shownURL: String { url.text.withMarkedUserInformation }

  /// Ends the load because its session ended.
  mutating func abandon() {
    outcome.error = Reason("session-ended", "the private session in which the page was loaded has ended")
  }

  private mutating func end(with hop: LoadOutcome.Hop) {
    outcome.hops.append(hop)
    outcome.error = hop.error
  }

  /// Follows a redirect. As in browsers, a POST becomes a GET, except with 307 and 308.
  private mutating func follow(_ redirect: Redirect, status: Int?) {
    url = redirect.to
    if let status, (301...303).contains(status) { method = .get }
  }

  private static func failure(of exchange: Exchange) -> Reason? {
    if let failure = exchange.failure { return Reason(failure.code.rawValue, failure.detail) }
    return exchange.httpStatus == nil ? Reason("connection-lost", "no answer arrived") : nil
  }
}

/// The outcome of a load.
package struct LoadOutcome: Hashable, Sendable {
  /// One request and its response.
  package struct Hop: Hashable, Sendable {
    package let url: String
    /// Nil when no response arrived.
    package let status: Int?
    /// The `Location` header as sent, with `removed@` instead of user information.
    package let location: String?
    /// The reason for which the load ended at this hop.
    package internal(set) var error: Reason?
  }

  package internal(set) var hops: [Hop] = []
  /// The outcomes of the redirects to the trigger path, in order.
  package internal(set) var triggeringEvents: [TriggerOutcome] = []
  /// Nil when the load ended with a response.
  package internal(set) var error: Reason?
}
