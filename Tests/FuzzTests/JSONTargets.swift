import Foundation
import PCMCore

@testable import PCMHTTP

extension FuzzTarget {
  /// JSON: each value can be written and read again, and Foundation reads the same value.
  static let json = FuzzTarget("json") { bytes in
    let isValid = JSON.isValid(bytes)
    if let offset = JSON.firstError(in: bytes) { try check((0...bytes.count).contains(offset), "an error is in the text") }
    let lenient = JSON(parsing: bytes, keepingNumbers: true, keepingDuplicates: true)
    try check(lenient == nil || isValid, "what is parsed is JSON")
    guard let value = JSON(parsing: bytes) else { return false }
    try check(lenient != nil, "text with other numbers and duplicates is accepted, too")
    try checkEqual(JSON(parsing: value.bytes)?.bytes, value.bytes, "a written value")
    try check(value.bytes.count <= 6 * bytes.count + 24, "escapes and exponents alone lengthen a text")
    try checkFoundation(bytes, value)
    return true
  }

  /// Compares with Foundation's parsers. They are less strict, so that only accepted text is compared, and reject a byte order
  /// mark. They detect UTF-16 by zero bytes.
  private static func checkFoundation(_ bytes: [UInt8], _ value: JSON) throws {
    guard !bytes.contains(0), !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
    let data = Data(bytes)
    _ = try required("Foundation accepts what is parsed") {
      try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }
    // Foundation rounds integers with a fraction or an exponent, so the largest are no integers for it.
    guard !(hasLargeNumber(value) && bytes.contains { ".eE".utf8.contains($0) }) else { return }
    let other = try required("Foundation decodes what is parsed") { try JSONDecoder().decode(JSON.self, from: data) }
    try checkEqual(sorted(value), sorted(other), "Foundation reads the same value")
  }

  /// Whether the value contains an integer that a floating-point number may not represent.
  private static func hasLargeNumber(_ value: JSON) -> Bool {
    switch value {
    case .number(let number): number.magnitude > 1 << 53
    case .array(let items): items.contains(where: hasLargeNumber)
    case .object(let members): members.contains { hasLargeNumber($0.value) }
    default: false
    }
  }

  /// The value with the members of objects in alphabetical order.
  private static func sorted(_ value: JSON) -> JSON {
    switch value {
    case .array(let items): .array(items.map(sorted))
    case .object(let members):
      .object(members.map { JSON.Member($0.name, sorted($0.value)) }.sorted { $0.name < $1.name })
    default: value
    }
  }

  /// The body of a request, read as each kind of body: a body that is read can be written and read again, and the errors of
  /// any other are bounded.
  static let requestBody = FuzzTarget("request-body") { bytes in
    let isValid = JSON.isValid(bytes)
    var isAccepted = false
    for body in bodies where try body(bytes, isValid) { isAccepted = true }
    return isAccepted
  }

  private static let bodies: [@Sendable ([UInt8], Bool) throws -> Bool] = bodyTypes.map { type in
    func reader<Body: JSONBody>(_ type: Body.Type) -> @Sendable ([UInt8], Bool) throws -> Bool { read(as: type) }
    return reader(type)
  }

  /// All types of bodies, including nested types.
  static let bodyTypes: [any JSONBody.Type] =
    OperationCatalog.all.map { $0 as any JSONBody.Type } + [
      AdNetworkInput.self, AppRegistration.self, BrowserChange.self, BrowserSpecification.self, ClockAdvance.self,
      ClockSpecification.self, CrowdTiers.self, DeviceChange.self, ExpectationInput.self, ExpectedReport.self,
      FaultBody.self, FaultsBody.self, ForkSpecification.self, LogRetentionChange.self, NetworkSpecification.self,
      NoncesBody.self, Provenance.self, SettingsChange.self, SettleInput.self, SignedAdInput.self, AttachmentInput.self,
      TriggeringEventInput.Redirect.self,
    ]

  private static func read<Body: JSONBody>(as type: Body.Type) -> @Sendable ([UInt8], Bool) throws -> Bool {
    { bytes, isValid in
      switch Result(catching: { () throws(BodyError) in try Body(json: bytes) }) {
      case .success(let body):
        try check(isValid, "\(type): a body is JSON")
        let again = try required("\(type): a written body is a body") { try Body(json: body.json.bytes) }
        try checkEqual(again, body, "\(type): a written body")
        return true
      case .failure(.malformed): try check(!isValid || brackets(bytes) > 64, "\(type): a malformed body is not JSON")
      case .failure(.invalid(let errors)):
        try check(isValid, "\(type): an invalid body is JSON")
        try check((1...100).contains(errors.count), "\(type): the number of errors is bounded")
        let size = errors.map(\.detail.utf8.count).max() ?? 0
        try check(size <= 1_024 + 2 * bytes.count, "\(type): the size of an error is bounded")
      }
      return false
    }
  }

  /// The number of opening brackets, which is no less than the depth. Some members are limited to 64 levels.
  private static func brackets(_ bytes: [UInt8]) -> Int { bytes.count { "[{".utf8.contains($0) } }
}
