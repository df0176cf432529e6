/// An error in the text of a URL.
package enum URLParsingError: Error, Hashable, Sendable {
  /// The text is empty, or contains only spaces and control characters.
  case empty
  /// The text exceeds the limit in bytes.
  case tooLong(limit: Int)
  /// The text contains NUL, or another C0 control or DEL that browsers do not strip.
  case containsControlCharacter
  /// There is no scheme: a relative reference or a bare name such as `webkit.org`. A scheme is not guessed.
  case noScheme
  /// The scheme requires a host, and there is none.
  case noHost
  /// The port is not a decimal number from 0 to 65535.
  case badPort
  case badHost(HostError)
  /// Another error, in the words of libcurl.
  case malformed(String)

  /// An error in a host.
  package enum HostError: Hashable, Sendable {
    /// A character that host names cannot contain, or brackets around text that is not an IPv6 address.
    case forbiddenCharacter
    /// A label is empty or longer than 63 bytes.
    case label
    /// The host is longer than 253 bytes.
    case tooLong
    /// The last label is a number, but the host is not an IPv4 address.
    case notAnAddress
    /// An IPv6 address with a zone, which is only meaningful on one machine.
    case zone
    /// An internationalized name, in Unicode or Punycode, that is invalid according to UTS 46.
    case notInternational
  }

  /// A sentence for people. It does not repeat the text, which may be private.
  package var detail: String {
    switch self {
    case .empty: "The URL is empty."
    case .tooLong(let limit): "The URL is longer than \(limit) bytes."
    case .containsControlCharacter: "The URL contains a control character."
    case .noScheme: "The URL has no scheme: write it in full, as in https://example.com."
    case .noHost: "The URL has no host."
    case .badPort: "The port is not a number from 0 to 65535."
    case .badHost(let fault): fault.detail
    case .malformed(let reason): "The URL is malformed: \(reason)."
    }
  }
}

extension URLParsingError.HostError {
  package var detail: String {
    switch self {
    case .forbiddenCharacter: "The host contains a character that a host name cannot have."
    case .label: "The host has a label that is empty or longer than 63 bytes."
    case .tooLong: "The host is longer than 253 bytes."
    case .notAnAddress: "The host ends in a number without being an IPv4 address."
    case .zone: "The host is an IPv6 address with a zone."
    case .notInternational: "The host is not a valid internationalized domain name."
    }
  }
}
