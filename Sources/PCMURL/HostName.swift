import CUnicode
import Foundation
import PCMCore

/// Parses the host of a URL and returns its normal form (URL Standard, section 3.5).
enum HostName {
  /// - Parameter written: The host as in the URL, with an IPv6 address in brackets.
  static func normal(_ written: [UInt8], names: InternationalNames) throws(URLParsingError) -> String {
    if written.first == UInt8(ascii: "[") { return try IPv6Address(bracketed: written).text }
    // Invalid UTF-8 becomes a replacement character, which no host name may contain.
    let text = String(text: written)
    let decoded = written.contains(UInt8(ascii: "%")) ? PercentEncoding.decoded(text[...].utf8, plusIsSpace: false) : text
    guard !decoded.isEmpty else { throw .noHost }
    let ascii = needsConversion(decoded) ? names.ascii(decoded) : decoded.lowercased()
    guard var host = ascii else { throw .badHost(.notInternational) }
    if host.hasSuffix(".") { host.removeLast() }
    try checkGrammar(host)
    return endsInNumber(host) ? try IPv4Address(host).text : host
  }

  /// Returns the host of a URL without a special scheme: an opaque text that is not decoded.
  static func opaque(_ written: [UInt8]) throws(URLParsingError) -> String {
    if written.first == UInt8(ascii: "[") { return try IPv6Address(bracketed: written).text }
    guard !written.isEmpty else { throw .noHost }
    guard !written.contains(where: forbiddenInOpaqueHosts.contains) else { throw .badHost(.forbiddenCharacter) }
    return String(text: PercentEncoding.opaquePath.encode(written[...]))
  }

  /// Whether a browser parses the host as an IPv4 address: the last label is a decimal or hexadecimal number.
  static func endsInNumber(_ host: String) -> Bool {
    guard let end = host.utf8.lastIndex(where: { $0 != UInt8(ascii: ".") }) else { return false }
    let start = host.utf8[...end].lastIndex(of: UInt8(ascii: ".")).map(host.utf8.index(after:)) ?? host.startIndex
    let label = host.utf8[start...end]
    guard label.starts(with: "0x".utf8) else { return label.allSatisfy(\.isASCIIDigit) }
    return label.dropFirst(2).allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
  }

  /// Whether the name needs conversion. WebKit does not convert other ASCII names, either.
  private static func needsConversion(_ name: String) -> Bool {
    guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return true }
    guard name.utf8.contains(UInt8(ascii: "-")) else { return false }
    return name.lowercased().utf8.split(separator: UInt8(ascii: ".")).contains { $0.starts(with: "xn--".utf8) }
  }

  private static let forbiddenInOpaqueHosts = Set(" #/:<>?@[\\]^|".utf8)

  /// Checks a name more strictly than a browser, which accepts most ASCII characters: letters, digits, hyphens, and
  /// underscores in labels of 1 to 63 bytes, 253 bytes in all. These are the names that name servers support.
  private static func checkGrammar(_ host: String) throws(URLParsingError) {
    let isAllowed = { (byte: UInt8) in byte.isASCIILetter || byte.isASCIIDigit || "-_.".utf8.contains(byte) }
    guard host.utf8.allSatisfy(isAllowed) else { throw .badHost(.forbiddenCharacter) }
    guard host.utf8.count <= 253 else { throw .badHost(.tooLong) }
    let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy({ (1...63).contains($0.count) }) else { throw .badHost(.label) }
  }
}

/// An IPv4 address in any of the forms that browsers accept (URL Standard, "IPv4 parser").
private struct IPv4Address {
  private let value: UInt32

  /// - Parameter text: One to four numbers: decimal, octal with a leading 0, or hexadecimal with a leading 0x.
  init(_ text: String) throws(URLParsingError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap(Self.number)
    guard (1...4).contains(parts.count), numbers.count == parts.count, let last = numbers.last,
      numbers.dropLast().allSatisfy({ $0 <= 255 }), last < 1 << UInt64(8 * (5 - numbers.count))
    else { throw .badHost(.notAnAddress) }
    // The last number fills all remaining bytes.
    let leading = numbers.dropLast().enumerated().reduce(0) { $0 | $1.element << UInt64(8 * (3 - $1.offset)) }
    value = UInt32(leading | last)
  }

  /// The address in dotted decimal form.
  var text: String { [24, 16, 8, 0].map { String(value >> $0 & 255) }.joined(separator: ".") }

  /// Parses a number. A bare `0x` is zero. Returns nil for text that is not a number below 2⁶⁴.
  private static func number(_ text: Substring) -> UInt64? {
    guard text.hasPrefix("0x") else {
      guard text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
      return text.count > 1 && text.hasPrefix("0") ? UInt64(text, radix: 8) : UInt64(text)
    }
    let digits = text.dropFirst(2)
    guard !digits.hasPrefix("+"), !digits.hasPrefix("-") else { return nil }
    return digits.isEmpty ? 0 : UInt64(digits, radix: 16)
  }
}

/// An IPv6 address.
private struct IPv6Address {
  private let pieces: [UInt16]

  init(bracketed text: [UInt8]) throws(URLParsingError) {
    guard text.last == UInt8(ascii: "]") else { throw .badHost(.forbiddenCharacter) }
    guard !text.contains(UInt8(ascii: "%")) else { throw .badHost(.zone) }
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(text: text.dropFirst().dropLast()), &address) == 1 else {
      throw .badHost(.forbiddenCharacter)
    }
    let bytes = withUnsafeBytes(of: address) { Array($0) }
    pieces = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
  }

  /// The address in brackets, with the first longest run of two or more zeros compressed (URL Standard, "IPv6 serializer").
  /// Unlike the form of the C library, it never contains an IPv4 address in dotted decimal.
  var text: String {
    var longest = 0..<0
    var start = 0
    for index in 0...pieces.count where index == pieces.count || pieces[index] != 0 {
      if index - start > max(longest.count, 1) { longest = start..<index }
      start = index + 1
    }
    let hexadecimal = { (pieces: ArraySlice<UInt16>) in pieces.map { String($0, radix: 16) }.joined(separator: ":") }
    guard !longest.isEmpty else { return "[\(hexadecimal(pieces[...]))]" }
    return "[\(hexadecimal(pieces[..<longest.lowerBound]))::\(hexadecimal(pieces[longest.upperBound...]))]"
  }
}

/// The conversion of internationalized domain names to ASCII (UTS 46), with the library and options of WebKit
/// (URLParser.cpp).
///
/// `@unchecked Sendable`: ICU does not change the object after opening it, and supports use from several threads.
final class InternationalNames: @unchecked Sendable {
  private let names: OpaquePointer?

  /// WebKit's limit in ASCII bytes.
  private static let capacity = 2_048

  init() {
    names = pcm_unicode_names_open()
  }

  deinit {
    if let names { pcm_unicode_names_close(names) }
  }

  /// Returns the name in lower-case ASCII, or nil when it is invalid: a forbidden character, invalid Punycode, mixed
  /// directionality, or a misplaced joiner.
  func ascii(_ name: String) -> String? {
    guard let names else { return nil }
    var name = name
    return name.withUTF8 { name in
      let ascii = [CChar](unsafeUninitializedCapacity: Self.capacity) { ascii, count in
        let written = name.withMemoryRebound(to: CChar.self) { name in
          pcm_unicode_names_to_ascii(
            names, name.baseAddress, Int32(name.count), ascii.baseAddress, Int32(ascii.count))
        }
        count = max(0, Int(written))
      }
      return ascii.isEmpty ? nil : String(decoding: ascii.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
