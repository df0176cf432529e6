import PCMCore

extension Exchange {
  /// Returns a member of the response to a request for a token's key or signature. The status is irrelevant; only the body
  /// counts (reference, section 7).
  package func tokenMember(_ name: String) throws(TokenMemberError) -> String {
    let statusNote = httpStatus.map { ", status \($0)" } ?? ""
    // A media type other than JSON is an error. WebKit's behavior is unknown.
    if let type = contentType, !Self.isJSON(type) {
      throw TokenMemberError(detail: "its media type is \(type)\(statusNote), but must be application/json")
    }
    if bodyTruncated { throw TokenMemberError(detail: "the response is too long") }
    guard case .object(let members)? = JSON(parsing: body, keepingNumbers: true, keepingDuplicates: true) else {
      throw TokenMemberError(detail: "the response is not a JSON object\(statusNote)")
    }
    // Of duplicate members, WebKit uses the last.
    guard case .string(let text)? = members.last(where: { $0.name == name })?.value, !text.isEmpty else {
      throw TokenMemberError(detail: "the response has no string \(name)\(statusNote)")
    }
    return text
  }

  private static func isJSON(_ contentType: String) -> Bool {
    let type = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
    return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
  }
}

/// Why a response contains no key or signature of a token.
package struct TokenMemberError: Error, Hashable {
  /// A part of a sentence.
  package let detail: String
}
