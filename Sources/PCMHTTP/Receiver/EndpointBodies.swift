import PCMCore
import PCMEndpoint

/// The body of `POST /admin/nonces`: nonces to register, to mint, or both.
struct NoncesBody: JSONBody {
  var nonces: [String] = []
  var mint = 0

  static let definition = BodyDefinition<Self>(
    "Nonces to register, to mint, or both.",
    [
      .defaulted("nonces", \.nonces, .list(of: .text, "an array of strings"), "Nonces to register"),
      .defaulted("mint", \.mint, .integer("a number from 0 to 1000", in: 0...1_000), "The number of nonces to mint"),
    ],
    rules: [
      .check { body in
        body.nonces.isEmpty && body.mint == 0 ? InputError(["nonces"], "send nonces to register, or mint", .missing) : nil
      }
    ])
}

/// The body of `PUT /admin/faults`: the ordered faults.
struct FaultsBody: JSONBody {
  var seed: UInt64 = 0
  var faults: [FaultBody] = []

  static let definition = BodyDefinition<Self>(
    "The ordered faults.",
    [
      .defaulted("seed", \.seed, .integer("a whole number"), "The seed of faults with a probability"),
      .required(
        "faults", \.faults, .list(of: .object("an object with fault"), "an array of faults"),
        "The faults; the first that applies to a request is used"),
    ])

  var rules: [FaultRule] { faults.map(\.rule) }
}

/// A fault and its conditions.
struct FaultBody: JSONBody {
  var fault = InjectedFault.Kind.status
  var on: ReceivedRequest.Kind?
  var host: String?
  var times: Int?
  var probability = 1.0
  var status: Int?
  var milliseconds: Int64 = 1_000
  var location = "https://elsewhere.example/"

  static let definition = BodyDefinition<Self>(
    "A fault and its conditions.",
    [
      .required("fault", \.fault, .choice(InjectedFault.Kind.self), "The kind of fault"),
      .optional("on", \.on, .choice(ReceivedRequest.Kind.self), "The kind of request; any when absent"),
      .optional("host", \.host, .text, "The host of the request; any when absent"),
      .optional("times", \.times, .integer("a number from 1 on", in: 1 ... .max), "Occurrences; unlimited when absent"),
      .defaulted("probability", \.probability, .number("a number from 0 to 1", in: 0...1), "1 when absent"),
      .optional("status", \.status, .integer("a status from 200 to 599", in: 200...599), "Of `status` and `redirect`"),
      .defaulted(
        "milliseconds", \.milliseconds, .integer("a number from 0 to 600000", in: 0...600_000),
        "Of `delay`, and of `trickle` between bytes"),
      .defaulted("location", \.location, .text, "Of `redirect`"),
    ])

  var rule: FaultRule {
    FaultRule(
      InjectedFault(fault, status: status, pause: Interval(milliseconds: milliseconds), location: location), on: on,
      host: host?.lowercased(), times: times, probability: probability)
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
    // Swift writes the shortest text that parses to the same value, which is also valid JSON.
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
