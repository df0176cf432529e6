/// Why the browser did what it did: a stable code for machines and a sentence for people.
///
/// The codes are a contract of the control API; the sentences are not.
package struct Reason: Hashable, Sendable {
  package let code: String
  package let detail: String

  package init(_ code: String, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  package var json: JSON { ["code": .string(code), "detail": .string(detail)] }
}
