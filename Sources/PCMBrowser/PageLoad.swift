package import PCMCore
import PCMDelivery
import PCMSites

/// A load, hop by hop: what comes next after each answer (Fetch Standard, "HTTP-redirect fetch").
struct PageLoad: Sendable {
  /// What is to be asked next.
  private(set) var url: WebURL
  private(set) var method: OutgoingRequest.Method
  private(set) var outcome = LoadOutcome()

  static let redirectLimit = 20
  private static let redirectStatuses: Set<Int> = [301, 302, 303, 307, 308]

  init(url: WebURL, method: OutgoingRequest.Method) {
    self.url = url
    self.method = method
  }

  /// Where an answer led.
  struct Redirect: Sendable {
    let from: WebURL
    let to: WebURL
    /// The target before its normal form.
    let toText: String
  }

  /// Nil when the load is over.
  mutating func receive(_ exchange: Exchange, sites: SiteParser) -> Redirect? {
    var hop = LoadOutcome.Hop(url: url.text, status: exchange.httpStatus, location: exchange.location, error: nil)
    let location = hop.status.map(Self.redirectStatuses.contains) == true ? exchange.location : nil
    // A redirect is one as soon as its head is there, whatever becomes of its body. An empty Location is none (WebKit).
    guard let location, !location.isEmpty else {
      hop.error = Self.failure(of: exchange)
      end(with: hop)
      return nil
    }
    guard outcome.hops.count < Self.redirectLimit else {
      outcome.hops.append(hop)
      outcome.error = Reason("too-many-redirects", "a browser gives up after \(Self.redirectLimit) redirects")
      return nil
    }
    do throws(URLRefusal) {
      let text = try sites.redirectTarget(of: location, from: url)
      let redirect = Redirect(from: url, to: try sites.url(text), toText: text)
      guard redirect.to.isHTTPFamily else {
        hop.error = Reason("location-not-http", "the Location's scheme is \(redirect.to.scheme); a load goes to http and https")
        end(with: hop)
        return nil
      }
      outcome.hops.append(hop)
      follow(redirect, status: hop.status)
      return redirect
    } catch {
      hop.error = Reason("location-invalid", "the Location leads nowhere: \(error.detail)")
      end(with: hop)
      return nil
    }
  }

  mutating func add(_ event: TriggerOutcome) {
    outcome.triggeringEvents.append(event)
  }

  /// Ends the load because its session has ended.
  mutating func abandon() {
    outcome.error = Reason("session-ended", "the private session in which the page was loaded has ended")
  }

  private mutating func end(with hop: LoadOutcome.Hop) {
    outcome.hops.append(hop)
    outcome.error = hop.error
  }

  /// A POST becomes a GET as browsers have always made it one; only 307 and 308 repeat it.
  private mutating func follow(_ redirect: Redirect, status: Int?) {
    url = redirect.to
    if let status, (301...303).contains(status) { method = .get }
  }

  private static func failure(of exchange: Exchange) -> Reason? {
    if let failure = exchange.failure { return Reason(failure.code.rawValue, failure.detail) }
    return exchange.httpStatus == nil ? Reason("connection-lost", "no answer arrived") : nil
  }
}

/// What became of a load.
package struct LoadOutcome: Hashable, Sendable {
  /// One request and its answer.
  package struct Hop: Hashable, Sendable {
    package let url: String
    /// Nil when no answer arrived.
    package let status: Int?
    /// As the server wrote it.
    package let location: String?
    /// Why the load could not go on from here.
    package internal(set) var error: Reason?
  }

  package internal(set) var hops: [Hop] = []
  /// The events of the hops that led to the trigger path, in their order.
  package internal(set) var triggeringEvents: [TriggerOutcome] = []
  /// Nil when the load ended with an answer.
  package internal(set) var error: Reason?
}
