/// One member of an input that cannot be.
package struct InputError: Hashable, Sendable {
  /// The path to the member, as its names: `["redirect", "to"]`; empty for the whole input.
  package let path: [String]
  package let detail: String
  /// A reason code where one exists.
  package let code: String?

  package init(_ path: [String], _ detail: String, code: String? = nil) {
    self.path = path
    self.detail = detail
    self.code = code
  }

  /// The same problem, seen from the object or the array that the input is part of.
  func within(_ name: String) -> InputError {
    InputError([name] + path, detail, code: code)
  }
}
