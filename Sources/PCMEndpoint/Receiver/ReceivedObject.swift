import PCMCore

/// A JSON object with the values that the endpoint's rules check. Other members may have any value.
struct ReceivedObject {
  private let values: [String: JSON]

  init(body: [UInt8]) throws(RequestError) {
    guard case .object(let members)? = JSON(parsing: body, keepingNumbers: true) else {
      throw RequestError(.notAnObject, "The body is not a JSON object in UTF-8 with distinct members.")
    }
    values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
  }

  var names: Set<String> { Set(values.keys) }

  func text(_ name: String) throws(RequestError) -> String {
    guard let value = values[name] else { throw RequestError(.memberMissing, "\(name) is missing; it is a string.") }
    guard case .string(let text) = value, !text.isEmpty else {
      throw RequestError(.memberWrong, "\(name) must be a non-empty string.")
    }
    return text
  }

  func number(_ name: String, in range: ClosedRange<Int64>) throws(RequestError) -> Int64 {
    let wanted = "an integer from \(range.lowerBound) to \(range.upperBound)"
    guard let value = values[name] else { throw RequestError(.memberMissing, "\(name) is missing; it is \(wanted).") }
    guard case .number(let number) = value, range.contains(number) else {
      throw RequestError(.memberWrong, "\(name) must be \(wanted).")
    }
    return number
  }

  /// Requires the type of engagement `click`, which browsers send.
  func requireClick() throws(RequestError) { try require("source_engagement_type", "click") }

  func require(_ name: String, _ value: String) throws(RequestError) {
    guard try text(name) == value else { throw RequestError(.memberWrong, "\(name) must be \"\(value)\".") }
  }
}

/// The reason an endpoint rejects a request with a status of 400 or higher.
package struct RequestError: Error, Hashable, Sendable {
  /// Stable codes. The detail is for people.
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
    /// An error of the endpoint: the parts of its key do not match.
    case keyUnusable = "key-unusable"
    case triggerInvalid = "trigger-invalid"
    /// An object of another kind.
    case notPostback = "not-a-postback"
    /// A postback that cannot be verified, because it has no usable signature, or a signed value that no device sends.
    case postbackInvalid = "postback-invalid"
    /// A postback of a framework that the path does not accept.
    case wrongFramework = "wrong-framework"
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
