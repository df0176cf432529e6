/// An error in one member of an input.
package struct InputError: Hashable, Sendable {
  /// The path to the member, such as `["redirect", "to"]`; empty for the entire input.
  package let path: [String]
  package let detail: String
  /// The code of a reason, if one exists.
  package let code: String?

  package init(_ path: [String], _ detail: String, code: String? = nil) {
    self.path = path
    self.detail = detail
    self.code = code
  }

  /// Returns the error with its path relative to the enclosing object or array.
  func within(_ name: String) -> InputError {
    InputError([name] + path, detail, code: code)
  }
}
