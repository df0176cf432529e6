import PCMCore

/// A body that is not a report, with a name for the evidence.
struct MalformedBody: Hashable, Sendable {
  let name: String
  let bytes: [UInt8]
  let exemption: Exemption?

  /// Why the requirements for a body are lower.
  enum Exemption: Hashable, Sendable {
    /// Only endpoints with tokens can detect the error. For others, the body is a report with an unknown member.
    case isOfTokens
    /// Parsers report this depth as an error, for which frameworks such as Flask return 500.
    case mayBeServerError
  }

  private init(_ name: String, _ bytes: some Sequence<UInt8>, _ exemption: Exemption? = nil) {
    self.name = name
    self.bytes = Array(bytes)
    self.exemption = exemption
  }

  /// The number of bodies.
  static let count = shapeless.count + misshapen.count + 2

  /// - Parameters:
  ///   - report: The members of a report without tokens.
  ///   - role: The recipient whose token a body contains.
  static func all(spoiling report: [JSON.Member], of role: Recipient) -> [MalformedBody] {
    let misshapen = misshapen.map { name, member, value in
      MalformedBody(name, JSON.object(report.map { $0.name == member ? JSON.Member(member, value) : $0 }).bytes)
    }
    let incomplete = MalformedBody(
      "a report without attributed_on_site", JSON.object(report.filter { $0.name != "attributed_on_site" }).bytes)
    let unpaired = MalformedBody(
      "a report with a token but no signature",
      JSON.object(report + [.init("\(role.rawValue)_secret_token", "AAAA")]).bytes, .isOfTokens)
    return shapeless + misshapen + [incomplete, unpaired]
  }

  static let shapeless: [MalformedBody] = [
    MalformedBody("empty", []),
    MalformedBody("not JSON", "not json".utf8),
    MalformedBody("truncated JSON", #"{"source_engagement_type":"click","sou"#.utf8),
    MalformedBody("an array", "[]".utf8),
    MalformedBody("null", "null".utf8),
    MalformedBody("an empty object", "{}".utf8),
    MalformedBody("invalid UTF-8", #"{"source_site":""#.utf8 + [0xC3, 0x28] + #""}"#.utf8),
    MalformedBody("5,000 nested arrays", [UInt8](repeating: UInt8(ascii: "["), count: 5_000), .mayBeServerError),
  ]

  /// Members with invalid values.
  private static let misshapen: [(name: String, member: String, value: JSON)] = [
    ("a report with a number for source_site", "source_site", 7),
    ("a report with a string for source_id", "source_id", "seven"),
    ("a report with a source_id of 256", "source_id", 256),
    ("a report with a negative trigger_data", "trigger_data", .number(-1)),
    ("a report with a trigger_data of 16", "trigger_data", 16),
  ]

  /// A JSON object a thousand times larger than any report. Only its size is invalid.
  static let oversized: [UInt8] =
    Array(#"{"padding":""#.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1_048_576) + Array(#""}"#.utf8)
}

/// Strings that are not nonces, because they do not encode 16 bytes in base64url.
enum MalformedNonce {
  static let all = ["AAAAAAAAAAAAAAAAAAAA", "++++////AAAAAAAAAAAAAA"]
}
