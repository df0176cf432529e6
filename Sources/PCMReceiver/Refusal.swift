/// Why an endpoint does not take a request: what it answers with a status from 400 on.
package struct Refusal: Error, Hashable, Sendable {
  /// Stable names; the text beside it is for people.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case notAnObject = "not-a-json-object"
    case memberMissing = "member-missing"
    case memberWrong = "member-wrong"
    case pairIncomplete = "token-pair-incomplete"
    case wrongMembers = "wrong-members"
    case nonceInvalid = "nonce-invalid"
    case nonceUnknown = "nonce-unknown"
    case nonceUsed = "nonce-used"
    case blindedTokenInvalid = "blinded-token-invalid"
    case blindedTokenWrongSize = "blinded-token-wrong-size"
    case blindedTokenNotBelowModulus = "blinded-token-not-below-modulus"
    /// The endpoint's own fault: its key's parts do not belong together.
    case keyUnusable = "key-unusable"
    case triggerInvalid = "trigger-invalid"
  }

  package let code: Code
  package let detail: String

  init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  package var status: Int {
    switch code {
    case .nonceUnknown: 403
    case .nonceUsed: 409
    case .keyUnusable: 500
    default: 400
    }
  }
}
