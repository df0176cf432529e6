/// A trigger: what the destination's server reports of one event.
package struct Trigger: Hashable, Sendable {
  /// 0 to 15.
  package let data: UInt8
  /// 0 to 63; never sent, only compared.
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
  /// Whether only WebKit's lenient number parser and separator accept it; the published grammar does not.
  package let isLenient: Bool

  package static let pathPrefix = "/.well-known/private-click-measurement/trigger-attribution/"

  /// A click, so to speak, on the wrong path is no triggering event at all.
  package static func isTrigger(_ url: WebURL) -> Bool { url.path.hasPrefix(pathPrefix) }

  /// Checks 2 to 13 in their order; the first failure decides.
  ///
  /// - Parameters:
  ///   - url: a redirect target for which `isTrigger` holds.
  ///   - parse: reads the URL in `attributionSource`; nil when it is no absolute URL.
  package static func parse(
    _ url: WebURL, parse: (String) -> WebURL?
  ) -> Result<TriggerURL, TriggerRejection> {
    do throws(TriggerRejection) {
      guard url.scheme == "https" else { throw .notHTTPS(scheme: url.scheme) }
      guard !url.hasCredentials else { throw .hasCredentials }
      guard !url.hasFragment else { throw .hasFragment }
      let parameters = try TriggerParameters(query: url.query, parse: parse)
      let tail = TriggerTail(url.path.dropFirst(pathPrefix.count))
      return .success(
        TriggerURL(
          trigger: try tail.trigger(), attributionSource: parameters.source, destinationNonce: parameters.nonce,
          isLenient: tail.isLenient))
    } catch {
      return .failure(error)
    }
  }

  /// What to say beside an accepted trigger that the published grammar would refuse.
  package static let leniency = Reason(
    "grammar-lenient", "WebKit accepts this form; the published grammar allows only two digits, or DD/PP")
}

extension TriggerRejection: Error {}

/// The two parameters that a trigger URL may carry, read one by one in the order of the URL (checks 3 to 10).
private struct TriggerParameters {
  var source: Site?
  var nonce: String?

  init(query: String?, parse: (String) -> WebURL?) throws(TriggerRejection) {
    guard let query else { return }
    let parameters = FormQuery.parameters(of: query)
    guard !parameters.isEmpty else { throw .queryEmpty }
    guard parameters.count <= 2 else { throw .queryUnsupported(why: "the trigger URL has \(parameters.count) parameters") }
    for parameter in parameters {
      switch parameter.name {
      case "attributionSource":
        guard !parameter.value.isEmpty else { throw .sourceParameterEmpty }
        guard source == nil else { throw .sourceParameterRepeated }
        source = try Self.source(parameter.value, parse: parse)
      case "attributionDestinationNonce":
        guard !parameter.value.isEmpty else { throw .nonceParameterEmpty }
        guard nonce == nil else { throw .nonceParameterRepeated }
        nonce = parameter.value
      default: throw .queryUnsupported(why: "the trigger URL has a parameter \"\(parameter.name)\"")
      }
    }
  }

  /// Any scheme with a host, a port and a trailing slash are fine; everything else is not (check 8). A host without a
  /// registrable domain is a site of its own (section 1.1), so check 9 only ever meets an empty host.
  private static func source(_ text: String, parse: (String) -> WebURL?) throws(TriggerRejection) -> Site {
    guard let url = parse(text) else { throw .sourceParameterInvalid(text: text, why: "is not an absolute URL") }
    guard !url.host.isEmpty else { throw .sourceParameterInvalid(text: text, why: "has no host") }
    guard url.path == "/" || url.path.isEmpty else { throw .sourceParameterInvalid(text: text, why: "has a path") }
    guard !url.hasCredentials else { throw .sourceParameterInvalid(text: text, why: "has credentials") }
    guard url.query == nil else { throw .sourceParameterInvalid(text: text, why: "has a query") }
    guard !url.hasFragment else { throw .sourceParameterInvalid(text: text, why: "has a fragment") }
    return url.site
  }
}

/// What stands behind the prefix: `DD` or `DD/PP` (checks 11 to 13).
private struct TriggerTail {
  let text: Substring

  init(_ text: Substring) {
    self.text = text
  }

  func trigger() throws(TriggerRejection) -> Trigger {
    switch text.utf8.count {
    case 2: return Trigger(data: try data(), priority: 0)
    case 5:
      let data = try data()
      // The separator is not looked at, as in WebKit.
      guard let priority = Self.number(text.suffix(2)), priority <= 63 else {
        throw .priorityInvalid(text: String(text.suffix(2)))
      }
      return Trigger(data: data, priority: priority)
    default: throw .pathUnrecognised(tail: String(text))
    }
  }

  private func data() throws(TriggerRejection) -> UInt8 {
    guard let data = Self.number(text.prefix(2)), data <= 15 else { throw .dataInvalid(text: String(text.prefix(2))) }
    return data
  }

  var isLenient: Bool {
    let digitsAndSlash = text.utf8.enumerated().allSatisfy { index, byte in
      index == 2 ? byte == UInt8(ascii: "/") : byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
    return !digitsAndSlash
  }

  /// Two characters as WebKit's integer parser reads them: digits, or a plus and a digit.
  private static func number(_ text: Substring) -> UInt8? {
    let digits = text.utf8.first == UInt8(ascii: "+") ? text.dropFirst() : text
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return nil }
    return UInt8(digits)
  }
}
