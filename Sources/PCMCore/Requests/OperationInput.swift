/// The body of an operation: a POST that changes a browser or its device.
///
/// The route, the journal, and the steps of scenarios have the operation's name and path from here.
package protocol OperationInput: JSONBody {
  /// The name in the journal, and of the step in a scenario: `link-click`.
  static var name: String { get }
  /// The path with its parameters: `/v1/browsers/:browser/link-clicks`.
  static var path: String { get }
  /// The last parameter of the path, when it names a part of the browser: `impression`.
  static var subject: String? { get }
}

extension OperationInput {
  package static var subject: String? { nil }

  /// The value in the journal, and of the step in a scenario.
  ///
  /// - Parameter subject: The value of the path's parameter; nil without one.
  package func action(on subject: String?) -> JSON {
    guard let member = Self.subject, let subject else { return json }
    return .object([.init("\(member)Id", .string(subject))] + json.members)
  }
}
