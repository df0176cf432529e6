package import PCMCore

/// A request that its caller may repeat with the same key, kept with its answer so that it takes effect once.
package struct KeptRequest: Hashable, Sendable {
  /// The key of the caller: 1 to 255 ASCII characters.
  package let key: String
  /// The digest of the request, which tells it from another request with the same key.
  package let digest: String
  /// The machine's time at which the request arrived first.
  package let receivedAt: Instant
  /// The answer; nil while the request is under way, and when it was interrupted after it took effect in part.
  package let answer: KeptAnswer?

  package init(key: String, digest: String, receivedAt: Instant, answer: KeptAnswer?) {
    self.key = key
    self.digest = digest
    self.receivedAt = receivedAt
    self.answer = answer
  }

  /// The number of bytes that count toward a limit.
  package var byteCount: Int {
    ([key, digest] + [answer?.location, answer?.body].compactMap { $0 }).reduce(0) { $0 + $1.utf8.count }
  }
}

/// The answer to a request, as it was sent.
package struct KeptAnswer: Hashable, Sendable {
  package let status: Int
  /// The path of a created resource; nil when none was created.
  package let location: String?
  package let body: String

  package init(status: Int, location: String? = nil, body: String) {
    self.status = status
    self.location = location
    self.body = body
  }
}

/// The limits of kept requests. The request that is being saved does not exceed them.
package struct KeptRequestLimits: Hashable, Sendable {
  package let maximumCount: Int
  package let maximumBytes: Int
  /// The latest instant of arrival at which a request is too old.
  package let expiry: Instant

  package init(maximumCount: Int, maximumBytes: Int, expiry: Instant) {
    self.maximumCount = maximumCount
    self.maximumBytes = maximumBytes
    self.expiry = expiry
  }

  /// Returns whether the oldest of the kept requests exceeds a limit.
  package func areExceeded(by total: KeptRequestTotal) -> Bool {
    total.count > maximumCount || total.byteCount > maximumBytes || total.oldest <= expiry
  }
}

/// The number and the size of kept requests.
package struct KeptRequestTotal: Hashable, Sendable {
  package var count: Int
  package var byteCount: Int
  /// A lower bound for the arrivals.
  package var oldest: Instant

  package init(count: Int = 0, byteCount: Int = 0, oldest: Instant = .latest) {
    self.count = count
    self.byteCount = byteCount
    self.oldest = oldest
  }
}

/// The request that creates or copies a browser, with its answer. It is kept with the browser, but outlives it.
package struct KeptCreation: Hashable, Sendable {
  package let request: KeptRequest
  package let limits: KeptRequestLimits

  package init(request: KeptRequest, limits: KeptRequestLimits) {
    self.request = request
    self.limits = limits
  }
}
