#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JSON object with the values that the endpoint's rules check. Other members may have any value.
struct ReceivedObject: Decodable {
  enum Value: Hashable {
    case text(String)
    case number(Int64)
    case other
  }

  private let values: [String: Value]

  init(body: [UInt8]) throws(RequestError) {
    guard String(validating: body, as: UTF8.self) != nil,
      let object = try? JSONDecoder().decode(ReceivedObject.self, from: Data(body))
    else { throw RequestError(.notAnObject, "The body is not a JSON object in UTF-8.") }
    self = object
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    var values: [String: Value] = [:]
    for name in container.allKeys {
      if let text = try? container.decode(String.self, forKey: name) {
        values[name.stringValue] = .text(text)
      } else if let number = try? container.decode(Int64.self, forKey: name) {
        values[name.stringValue] = .number(number)
      } else {
        values[name.stringValue] = .other
      }
    }
    self.values = values
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  var names: Set<String> { Set(values.keys) }

  func text(_ name: String) throws(RequestError) -> String {
    guard let value = values[name] else { throw RequestError(.memberMissing, "\(name) is missing; it is a string.") }
    guard case .text(let text) = value, !text.isEmpty else {
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

  /// Requires the only type of engagement that browsers send.
  func requireClick() throws(RequestError) {
    guard try text("source_engagement_type") == "click" else {
      throw RequestError(.memberWrong, "source_engagement_type must be \"click\".")
    }
  }
}

/// Why an endpoint rejects a request with a status of 400 or higher.
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
