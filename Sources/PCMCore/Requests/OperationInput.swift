/// The operations of the API, in the order of its documents. Each file of inputs lists its operations.
package enum OperationCatalog {
  /// Clicks, triggering events, loads, and other events of pages.
  package static let web = clicks + triggers + pages
  /// Ads in apps, installs, conversions, content cards, and consent to tracking.
  package static let device = appAds + developmentPostbacks + cards + tracking
  package static let all = web + device
}

/// The body of an operation: a call that changes a browser or its device.
///
/// The route, the journal, the steps of scenarios, the paths of the client, the forms of the page, and the tools of agents are read
/// from here.
package protocol OperationInput: JSONBody {
  /// The name in the journal, and of the step in a scenario: `link-click`.
  static var name: String { get }
  /// The method: `POST`, or `PUT` for an operation that replaces a resource.
  static var method: String { get }
  /// The path with its parameters: `/v1/browsers/:browser/link-clicks`.
  static var path: String { get }
  /// The maximum size of the body in bytes.
  static var bodyLimit: Int { get }
  /// The summary of the step in a scenario, without a period: `Follows a link`.
  static var summary: String { get }
  /// The form on the page of a browser; nil for an operation without a form, and when the form has more than its body.
  static var form: OperationForm? { get }
}

extension OperationInput {
  package static var method: String { "POST" }
  package static var bodyLimit: Int { 65_536 }
  package static var form: OperationForm? { nil }

  /// The parameters of the path that name a part of the browser: `impression`, or `bundleIdentifier` and `idString`.
  package static var parameters: [String] {
    path.split(separator: "/").filter { $0.hasPrefix(":") }.dropFirst().map { String($0.dropFirst()) }
  }

  /// The names of the parameters in the journal, and in the step of a scenario: `impressionId` for the record, and others as they
  /// are.
  package static var parameterMembers: [String] {
    parameters.map { RecordName.Kind(rawValue: $0) == nil ? $0 : $0 + "Id" }
  }

  /// Returns the values of the parameters. Only the last one can contain a slash.
  private static func values(in subject: String) -> [String] {
    subject.split(separator: "/", maxSplits: max(0, parameters.count - 1), omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the path of a call.
  ///
  /// - Parameters:
  ///   - world: The name of the browser or the device.
  ///   - subject: The values of ``parameters``, joined by slashes; nil without parameters.
  package static func path(in world: String, on subject: String? = nil) -> String {
    var values = ([world] + values(in: subject ?? ""))[...]
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.hasPrefix(":") ? PercentEncoding.component.encode(values.popFirst() ?? "") : String(part)
    }
    return parts.joined(separator: "/")
  }

  /// The value in the journal, and of the step in a scenario.
  ///
  /// - Parameter subject: The values of ``parameters``, joined by slashes; nil without parameters.
  package func action(on subject: String?) -> JSON {
    guard let subject, !Self.parameters.isEmpty else { return json }
    let named = zip(Self.parameterMembers, Self.values(in: subject)).map { JSON.Member($0, .string($1)) }
    return .object(named + json.members)
  }
}

/// The form of an operation on the page of a browser.
package struct OperationForm: Sendable {
  /// The identifier in the document.
  package let id: String
  package let title: String
  /// The description of the call, in complete sentences.
  package let text: String
  package let button: String
  /// The first values by member, and by parameter of the path. A member without an example has a field if it is required or has a
  /// default.
  package let examples: [String: String]

  init(_ id: String, _ title: String, _ text: String, button: String, _ examples: [String: String]) {
    (self.id, self.title, self.text, self.button, self.examples) = (id, title, text, button, examples)
  }
}
