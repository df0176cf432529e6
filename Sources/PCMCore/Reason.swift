/// A reason for a decision of the browser: a stable code for programs and a sentence for people.
///
/// The codes are part of the API's contract; the sentences are not.
package struct Reason: Hashable, Sendable {
  package let code: String
  package let detail: String

  package init(_ code: String, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  package var json: JSON { ["code": .string(code), "detail": .string(detail)] }
}
