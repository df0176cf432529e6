/// A trigger: the data that the destination's server reports about one event.
package struct Trigger: Hashable, Sendable {
  /// 0 to 15.
  package let data: UInt8
  /// 0 to 63. The priority is compared, but never sent.
  package let priority: UInt8

  package init(data: UInt8, priority: UInt8) {
    self.data = data
    self.priority = priority
  }
}

/// A redirect target under the well-known trigger path, read by the grammar of section 4.2 of the reference.
package struct TriggerURL: Hashable, Sendable {
  package let trigger: Trigger
  /// The `attributionSource` of a same-site pixel.
  package let attributionSource: Site?
  /// Not validated at this point, as in WebKit (reference, section 8.3).
  package let destinationNonce: String?
  /// Whether WebKit accepts the URL although the published grammar does not: its parser of numbers and separators is
  /// lenient.
  package let isLenient: Bool

  package static let pathPrefix = "/.well-known/private-click-measurement/trigger-attribution/"

  /// Whether the path is the trigger path. A redirect to any other path is not a triggering event.
  package static func isTrigger(_ url: WebURL) -> Bool { url.path.hasPrefix(pathPrefix) }

  /// The parts of a redirect target, valid or not.
  package struct Reading: Sendable {
    let url: WebURL
    fileprivate let parameters: Result<TriggerParameters, Violation>
    fileprivate let trigger: Result<Trigger, Violation>

    /// - Parameters:
    ///   - url: A redirect target for which `isTrigger` returns true.
    ///   - parse: Parses the URL in `attributionSource`. Returns nil when it is not an absolute URL.
    package init(_ url: WebURL, parse: (String) -> WebURL?) {
      self.url = url
      parameters = TriggerParameters.read(url.query, parse: parse)
      trigger = TriggerTail(url.path.dropFirst(pathPrefix.count)).read()
    }
  }

  /// Checks 2 to 13 in their order.
  package static let rules: [Rule<Reading>] = [
    Rule(
      "trigger-url-is-https", "The trigger URL is https.", .webkit("PrivateClickMeasurement.cpp"),
      reasons: ["not-https": "redirect to the same URL with https"], inputs: ["triggerURL": { .string($0.url.text) }]
    ) { reading in
      guard reading.url.scheme != "https" else { return nil }
      return Violation(
        "not-https", "the trigger URL's scheme is \(reading.url.scheme), but must be https")
    },
    Rule(
      "trigger-url-has-no-credentials", "The trigger URL has no user name and no password.",
      .webkit("PrivateClickMeasurement.cpp"),
      reasons: ["has-credentials": "redirect to the same URL without user name and password"],
      inputs: ["hasCredentials": { .bool($0.url.hasCredentials) }]
    ) { reading in
      guard reading.url.hasCredentials else { return nil }
      return Violation(
        "has-credentials", "the trigger URL contains a user name or a password")
    },
    Rule(
      "trigger-url-has-no-fragment", "The trigger URL has no fragment. An empty one (#) counts, too.",
      .webkit("PrivateClickMeasurement.cpp"), reasons: ["has-fragment": "remove the fragment: the # and everything after it"],
      inputs: ["hasFragment": { .bool($0.url.hasFragment) }]
    ) { reading in
      guard reading.url.hasFragment else { return nil }
      return Violation(
        "has-fragment", "the trigger URL contains a fragment; an empty one (#) counts")
    },
    Rule(
      "trigger-query-is-supported",
      "The query has no parameters but attributionSource and attributionDestinationNonce, once each and with a value.",
      .webkit("PrivateClickMeasurement.cpp"),
      reasons: [
        "query-empty": "remove the question mark",
        "query-unsupported":
          "remove all parameters except attributionSource and attributionDestinationNonce, each at most once",
        "source-parameter-empty": "give attributionSource a value, such as https://news.example, or remove it",
        "source-parameter-repeated": "give attributionSource once",
        "source-parameter-invalid": "make attributionSource an origin, such as https://news.example",
        "nonce-parameter-empty": "give attributionDestinationNonce a value, or remove it",
        "nonce-parameter-repeated": "give attributionDestinationNonce once",
      ], inputs: ["query": { .string($0.url.query) }]
    ) { $0.parameters.failure },
    Rule(
      "trigger-data-and-priority-are-in-range",
      "The path ends with the trigger data, 00 to 15, and optionally the priority, 00 to 63, in two digits each.",
      .webkit("PrivateClickMeasurement.cpp"),
      reasons: [
        "data-invalid": "write the trigger data as two digits from 00 to 15",
        "priority-invalid": "write the priority as two digits from 00 to 63",
        "path-unrecognised": "end the path with trigger-attribution/DD or trigger-attribution/DD/PP",
      ], inputs: ["triggerPath": { .string($0.url.path) }]
    ) { $0.trigger.failure },
  ]

  /// Performs checks 2 to 13. The first violation decides.
  package static func parse(_ reading: Reading, _ evaluation: inout RuleEvaluation) -> Result<TriggerURL, Violation> {
    if let rejection = evaluation.firstViolation(of: rules, to: reading) { return .failure(rejection) }
    return reading.parameters.flatMap { parameters in
      reading.trigger.map { trigger in
        TriggerURL(
          trigger: trigger, attributionSource: parameters.source, destinationNonce: parameters.nonce,
          isLenient: TriggerTail(reading.url.path.dropFirst(pathPrefix.count)).isLenient)
      }
    }
  }

  /// The title of the note about such a trigger.
  static let leniencyTitle = RuleTitle(
    reason: "grammar-lenient", "WebKit accepts the form of the trigger URL, and the published grammar does not.",
    .webkit("PrivateClickMeasurement.cpp"), change: "end the path with DD or DD/PP, in two digits each")

  /// The reason that accompanies an accepted trigger that violates the published grammar.
  package static let leniency = Reason(
    "grammar-lenient", "WebKit accepts this form; the published grammar allows only two digits, or DD/PP")
}

extension Result {
  fileprivate var failure: Failure? {
    guard case .failure(let failure) = self else { return nil }
    return failure
  }
}

/// The two optional parameters of a trigger URL, read in the order of the URL (checks 3 to 10).
private struct TriggerParameters {
  var source: Site?
  var nonce: String?

  static func read(_ query: String?, parse: (String) -> WebURL?) -> Result<TriggerParameters, Violation> {
    do throws(Violation) {
      return .success(try TriggerParameters(query: query, parse: parse))
    } catch {
      return .failure(error)
    }
  }

  private init(query: String?, parse: (String) -> WebURL?) throws(Violation) {
    guard let query else { return }
    let parameters = FormQuery.parameters(of: query)
    guard !parameters.isEmpty else {
      throw Violation(
        "query-empty", "the trigger URL has a question mark without a parameter")
    }
    guard parameters.count <= 2 else { throw Self.unsupported("the trigger URL has \(parameters.count) parameters") }
    for parameter in parameters {
      switch parameter.name {
      case "attributionSource":
        guard !parameter.value.isEmpty else {
          throw Violation(
            "source-parameter-empty", "attributionSource has no value")
        }
        guard source == nil else {
          throw Violation(
            "source-parameter-repeated", "attributionSource appears twice")
        }
        source = try Self.source(parameter.value, parse: parse)
      case "attributionDestinationNonce":
        guard !parameter.value.isEmpty else {
          throw Violation(
            "nonce-parameter-empty", "attributionDestinationNonce has no value")
        }
        guard nonce == nil else {
          throw Violation(
            "nonce-parameter-repeated", "attributionDestinationNonce appears twice")
        }
        nonce = parameter.value
      default: throw Self.unsupported("the trigger URL has a parameter \"\(parameter.name)\"")
      }
    }
  }

  /// Accepts any scheme with a host, an optional port, and an optional trailing slash (check 8). A host without a
  /// registrable domain is a site itself (section 1.1), so check 9 only concerns an empty host.
  private static func source(_ text: String, parse: (String) -> WebURL?) throws(Violation) -> Site {
    func invalid(_ why: String) -> Violation {
      Violation(
        "source-parameter-invalid", "attributionSource \"\(text)\" \(why)")
    }
    guard let url = parse(text) else { throw invalid("is not an absolute URL") }
    guard !url.host.isEmpty else { throw invalid("has no host") }
    guard url.path == "/" || url.path.isEmpty else { throw invalid("has a path") }
    guard !url.hasCredentials else { throw invalid("has credentials") }
    guard url.query == nil else { throw invalid("has a query") }
    guard !url.hasFragment else { throw invalid("has a fragment") }
    return url.site
  }

  private static func unsupported(_ why: String) -> Violation {
    Violation(
      "query-unsupported", "\(why); allowed are attributionSource and attributionDestinationNonce")
  }
}
