import PCMCore

/// The part of a trigger URL after its prefix, in the published grammar: `DD` or `DD/PP`. Browsers accept other forms, but
/// endpoints generate only this form.
package struct ReceivedTrigger: Hashable, Sendable {
  package static let prefix = "/.well-known/private-click-measurement/trigger-attribution/"

  package let data: Int
  package let priority: Int?

  package init(data: String, priority: String?) throws(RequestError) {
    guard let number = Int(data), (0...15).contains(number) else {
      throw RequestError(.triggerInvalid, "\"\(data)\" is not trigger data; it must be 0 to 15.")
    }
    self.data = number
    guard let priority else {
      self.priority = nil
      return
    }
    guard let number = Int(priority), (0...63).contains(number) else {
      throw RequestError(.triggerInvalid, "\"\(priority)\" is not a priority; it must be 0 to 63.")
    }
    self.priority = number
  }

  /// The path that browsers expect, with two digits for each number.
  package var text: String { Self.prefix + Self.twoDigits(data) + (priority.map { "/" + Self.twoDigits($0) } ?? "") }

  /// Returns the target of a pixel's redirect, with the parameters that browsers support.
  package func location(source: String?, nonce: String?) -> String {
    let parameters = [("attributionSource", source), ("attributionDestinationNonce", nonce)].compactMap { name, value in
      value.map { "\(name)=\(PercentEncoding.component.encode($0))" }
    }
    return text + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
