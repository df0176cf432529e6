/// The operations of the API, in the order of its documents. Each file of inputs lists its operations.
package enum OperationCatalog {
  /// Clicks, triggering events, and loads.
  package static let web = clicks + triggers
  /// Ads in apps, installs, and what follows them.
  package static let device = appAds + developmentPostbacks
  package static let all = web + device
}

/// The body of an operation: a POST that changes a browser or its device.
///
/// The route, the journal, the steps of scenarios, the paths of the client, and the forms of the page are read from here.
package protocol OperationInput: JSONBody {
  /// The name in the journal, and of the step in a scenario: `link-click`.
  static var name: String { get }
  /// The path with its parameters: `/v1/browsers/:browser/link-clicks`.
  static var path: String { get }
  /// The last parameter of the path, when it names a part of the browser: `impression`.
  static var subject: String? { get }
  /// What the step in a scenario does, without a period: `Follows a link`.
  static var summary: String { get }
  /// The form on the page of a browser; nil for an operation without a form, and for one whose form has more than its body.
  static var form: OperationForm? { get }
}

extension OperationInput {
  package static var subject: String? { nil }
  package static var form: OperationForm? { nil }

  /// Returns the path of a call.
  ///
  /// - Parameters:
  ///   - world: The name of the browser or the device.
  ///   - subject: The value of the path's last parameter; nil without one.
  package static func path(in world: String, on subject: String? = nil) -> String {
    var values = [world, subject ?? ""][...]
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.hasPrefix(":") ? PercentEncoding.component.encode(values.removeFirst()) : String(part)
    }
    return parts.joined(separator: "/")
  }

  /// The value in the journal, and of the step in a scenario.
  ///
  /// - Parameter subject: The value of the path's parameter; nil without one.
  package func action(on subject: String?) -> JSON {
    guard let member = Self.subject, let subject else { return json }
    return .object([.init("\(member)Id", .string(subject))] + json.members)
  }
}

/// The form of an operation on the page of a browser.
package struct OperationForm: Sendable {
  /// The identifier in the document.
  package let id: String
  package let title: String
  /// What the call means, in complete sentences.
  package let text: String
  package let button: String
  /// The first values by member. A member without an example has a field if it is required or has a default.
  package let examples: [String: String]

  init(_ id: String, _ title: String, _ text: String, button: String, _ examples: [String: String]) {
    (self.id, self.title, self.text, self.button, self.examples) = (id, title, text, button, examples)
  }
}
