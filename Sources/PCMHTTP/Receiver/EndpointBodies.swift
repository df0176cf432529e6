import PCMBrowser
import PCMCore
import PCMReceiver

/// Nonces to register, to mint, or both.
struct NoncesBody: Decodable {
  let nonces: [String]
  let mint: Int

  init(from decoder: any Decoder) throws {
    var reader = try MemberReader(decoder)
    nonces = reader.optional("nonces", MemberKind<[String]>(description: "an array of strings")) ?? []
    mint = reader.optional("mint", MemberKind<Int>(description: "a number")) ?? 0
    if !(0...1_000).contains(mint) { reader.note(InputProblem(["mint"], "mint is a number from 0 to 1000")) }
    if nonces.isEmpty, mint == 0 { reader.note(InputProblem(["nonces"], "send nonces to register, or mint")) }
    try reader.finish()
  }
}

/// The faults to come.
struct FaultsBody: Decodable {
  let seed: UInt64
  let rules: [FaultRule]

  init(from decoder: any Decoder) throws {
    var reader = try MemberReader(decoder)
    seed = reader.optional("seed", MemberKind<UInt64>(description: "a whole number")) ?? 0
    let bodies = reader.required("faults", MemberKind<[FaultBody]>(description: "an array of faults"))
    try reader.finish()
    rules = try reader.found(bodies).map(\.rule)
  }
}

/// One fault and when it happens.
private struct FaultBody: Decodable {
  let rule: FaultRule

  init(from decoder: any Decoder) throws {
    var reader = try MemberReader(decoder)
    let kind = Self.choice("fault", of: Fault.Kind.self, reader.required("fault", .text), &reader)
    let request = Self.choice("on", of: Arrival.Kind.self, reader.optional("on", .text), &reader)
    let host = reader.optional("host", .text)
    let times = reader.optional("times", MemberKind<Int>(description: "a number from 1 on"))
    let probability = reader.optional("probability", MemberKind<Double>(description: "a number from 0 to 1"))
    let status = reader.optional("status", MemberKind<Int>(description: "a status from 200 to 599"))
    let pause = reader.optional("milliseconds", MemberKind<Int64>(description: "a number from 0 to 600000"))
    let location = reader.optional("location", .text)
    if let times, times < 1 { reader.note(InputProblem(["times"], "times is a number from 1 on")) }
    if let probability, !(0...1).contains(probability) {
      reader.note(InputProblem(["probability"], "probability is a number from 0 to 1"))
    }
    if let status, !(200...599).contains(status) {
      reader.note(InputProblem(["status"], "status is a number from 200 to 599"))
    }
    if let pause, !(0...600_000).contains(pause) {
      reader.note(InputProblem(["milliseconds"], "milliseconds is a number from 0 to 600000"))
    }
    try reader.finish()
    let fault = Fault(
      try reader.found(kind), status: status, pause: Interval(milliseconds: pause ?? 1_000),
      location: location ?? "https://elsewhere.example/")
    rule = FaultRule(fault, on: request, host: host?.lowercased(), times: times, probability: probability ?? 1)
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Value.Type, _ text: String?, _ reader: inout MemberReader
  ) -> Value? {
    guard let text else { return nil }
    if let value = Value(rawValue: text) { return value }
    let choices = Value.allCases.map(\.rawValue).joined(separator: ", ")
    reader.note(InputProblem([name], "\(name) is one of \(choices)"))
    return nil
  }
}

extension FaultPlan {
  var json: JSON { ["faults": .array(rules.map(\.json))] }
}

extension FaultRule {
  fileprivate var json: JSON {
    var members: [JSON.Member] = [.init("fault", .string(fault.kind.rawValue)), .init("on", .string(request?.rawValue))]
    members.append(.init("host", .string(host)))
    members.append(.init("times", times.map { .number(Int64($0)) } ?? .null))
    // Written by the language as the shortest text that reads back the same; JSON reads it alike.
    members.append(.init("probability", .verbatim("\(probability)")))
    switch fault.kind {
    case .status: members.append(.init("status", .number(Int64(fault.status))))
    case .redirect:
      members.append(.init("status", .number(Int64(fault.status))))
      members.append(.init("location", .string(fault.location)))
    case .delay, .trickle: members.append(.init("milliseconds", .number(fault.pause.milliseconds)))
    default: break
    }
    return .object(members)
  }
}
