import PCMCore

/// The body of a request, with a name for the evidence.
struct ProbeBody: Hashable, Sendable {
  /// The subject of a sentence: `an Apple-signed postback of 4.0`.
  let name: String
  let bytes: [UInt8]
  let exemption: Exemption?

  /// The reason the requirements for a malformed body are lower.
  enum Exemption: Hashable, Sendable {
    /// Only endpoints with tokens can detect the error. For other endpoints, the body is a report with an unknown member.
    case isOfTokens
    /// Parsers report this depth as an error, for which frameworks such as Flask return 500.
    case mayBeServerError
  }

  init(_ name: String, _ bytes: [UInt8], _ exemption: Exemption? = nil) {
    self.name = name
    self.bytes = bytes
    self.exemption = exemption
  }

  init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

  /// The number of malformed reports.
  static let malformedReportCount = shapeless.count + misshapen.count + 2

  /// - Parameters:
  ///   - report: The members of a report without tokens.
  ///   - role: The recipient whose token a body contains.
  static func malformedReports(from report: [JSON.Member], of role: Recipient) -> [ProbeBody] {
    let misshapen = misshapen.map { name, member, value in
      ProbeBody("a body that is \(name)", JSON.object(report.map { $0.name == member ? .init(member, value) : $0 }).bytes)
    }
    let incomplete = ProbeBody(
      "a body that is a report without attributed_on_site",
      JSON.object(report.filter { $0.name != "attributed_on_site" }).bytes)
    let unpaired = ProbeBody(
      "a body that is a report with a token but no signature",
      JSON.object(report + [.init("\(role.rawValue)_secret_token", "AAAA")]).bytes, .isOfTokens)
    return shapeless + misshapen + [incomplete, unpaired]
  }

  static let noJSON = ProbeBody("a body that is not JSON", "not json")

  /// Bodies that are neither reports nor postbacks.
  static let shapeless: [ProbeBody] = [
    ProbeBody("a body that is empty", []),
    noJSON,
    ProbeBody("a body that is truncated JSON", #"{"source_engagement_type":"click","sou"#),
    ProbeBody("a body that is an array", "[]"),
    ProbeBody("a body that is null", "null"),
    ProbeBody("a body that is an empty object", "{}"),
    ProbeBody("a body that is invalid UTF-8", Array(#"{"source_site":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)),
    ProbeBody("a body that is 5,000 nested arrays", [UInt8](repeating: UInt8(ascii: "["), count: 5_000), .mayBeServerError),
  ]

  /// Members with invalid values.
  private static let misshapen: [(name: String, member: String, value: JSON)] = [
    ("a report with a number for source_site", "source_site", 7),
    ("a report with a string for source_id", "source_id", "seven"),
    ("a report with a source_id of 256", "source_id", 256),
    ("a report with a negative trigger_data", "trigger_data", .number(-1)),
    ("a report with a trigger_data of 16", "trigger_data", 16),
  ]

  /// A JSON object a thousand times larger than any report or postback. Only its size is invalid.
  static let oversized = ProbeBody(
    "a body of 1 MiB", #"{"padding":""# + String(repeating: "x", count: 1_048_576) + #""}"#)

  /// Strings that are not nonces, because they do not encode 16 bytes in base64url.
  static let malformedNonces = ["AAAAAAAAAAAAAAAAAAAA", "++++////AAAAAAAAAAAAAA"]
}
