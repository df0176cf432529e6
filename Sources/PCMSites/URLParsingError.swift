/// Why a text is not taken as a URL.
package enum URLParsingError: Error, Hashable, Sendable {
  /// Nothing, or nothing but spaces and control characters.
  case empty
  /// More bytes than the limit.
  case tooLong(limit: Int)
  /// A NUL anywhere, or another C0 control or DEL that a browser would not strip.
  case containsControlCharacter
  /// No scheme: a relative reference or a bare name such as `webkit.org`. None is guessed.
  case noScheme
  /// A scheme that needs a host, and none there.
  case noHost
  /// Not a decimal number from 0 to 65535.
  case badPort
  case badHost(HostError)
  /// Anything else that libcurl refuses, in libcurl's words.
  case malformed(String)

  /// What is wrong with a host.
  package enum HostError: Hashable, Sendable {
    /// A character that no host name has, or brackets around something that is no IPv6 address.
    case forbiddenCharacter
    /// A label that is empty or longer than 63 bytes.
    case label
    /// More than 253 bytes.
    case tooLong
    /// The last label is a number, so it has to be an IPv4 address, and it is none.
    case notAnAddress
    /// An IPv6 address with a zone, which means something on one machine only.
    case zone
    /// An internationalized name that UTS 46 rejects, written in Unicode or as punycode.
    case notInternational
  }

  /// A sentence for people. It repeats nothing of the text, which may be private.
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
