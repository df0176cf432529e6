/// An error in one member of an input.
package struct InputError: Hashable, Sendable {
  /// The path to the member, such as `["redirect", "to"]`; empty for the entire input.
  package let path: [String]
  package let detail: String
  /// The stable code: one of `Code`, or the code of a reason.
  package let code: String

  package init(_ path: [String], _ detail: String, _ code: Code = .invalidValue) {
    self.init(path, detail, code: code.rawValue)
  }

  /// - Parameter code: The code of a reason.
  package init(_ path: [String], _ detail: String, code: String) {
    self.path = path
    self.detail = detail
    self.code = code
  }

  /// Returns the error with its path relative to the enclosing object or array.
  package func within(_ name: String) -> InputError {
    InputError([name] + path, detail, code: code)
  }

  /// The codes of errors that any input can have.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    /// A required member is absent.
    case missing
    case unknownMember = "unknown-member"
    case duplicateMember = "duplicate-member"
    /// Members exclude each other.
    case conflictingMembers = "conflicting-members"
    /// The value is of another JSON type.
    case wrongType = "wrong-type"
    /// A number, a time, or a count is too small or too large.
    case outOfRange = "out-of-range"
    /// The value has the expected type but another error.
    case invalidValue = "invalid-value"
    case unknownParameter = "unknown-parameter"
    case repeatedParameter = "repeated-parameter"
    /// The text is not in the format of the whole input.
    case malformed
  }
}
