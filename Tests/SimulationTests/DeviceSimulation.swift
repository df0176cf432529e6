import PCMCore
import PCMCrypto

/// One run of a plan, with the references beside it.
struct DeviceSimulation {
  let plan: DevicePlan
  var mutation: DeviceMutation?

  /// After it, all windows and all attempts are over.
  private static let end = DeviceOperation.advance(.days(130))

  /// - Returns: The postbacks at the end.
  func run() async throws -> [SeenPostback] {
    var (environment, model) = (try await DeviceWorld(seed: plan.seed), DeviceModel(mutation: mutation))
    for operation in plan.operations + [Self.end] {
      let (seen, expected) = (try await environment.perform(operation), model.perform(operation))
      guard seen == expected else {
        throw DeviceDifference(operation: operation, detail: "\(seen) instead of \(expected)")
      }
      let now = try await environment.now()
      guard now == model.now else {
        throw DeviceDifference(operation: operation, detail: "the clock is \(now.text)")
      }
      try Self.compare(try await environment.postbacks(), model.postbacks, after: operation)
    }
    return try await environment.history()
  }

  private static func compare(
    _ seen: [SeenPostback], _ expected: [ExpectedPostback], after operation: DeviceOperation
  ) throws {
    var rest = expected
    for postback in seen {
      guard let index = rest.firstIndex(where: { $0.describes(postback) }) else {
        throw DeviceDifference(operation: operation, detail: "\(postback) does not follow; expected: \(rest)")
      }
      rest.remove(at: index)
    }
    guard rest.isEmpty else { throw DeviceDifference(operation: operation, detail: "\(rest) is missing") }
  }
}

/// A difference between the service and the references.
struct DeviceDifference: Error {
  let operation: DeviceOperation
  let detail: String
}

extension ExpectedPostback {
  /// Whether the postback is the expected one, with its value and within its time.
  fileprivate func describes(_ postback: SeenPostback) -> Bool {
    guard postback.index == index, postback.didWin == didWin, postback.recipient == recipient, postback.network == ad.network,
      earliest <= postback.dueAt, postback.dueAt <= latest, let body = JSON(parsing: Array(postback.body.utf8))
    else { return false }
    let members = ad.version == nil ? JSON(parsing: Array(DeviceReferee.signed(postback).utf8)) ?? .null : body
    // Later postbacks have the last two digits.
    let campaign: JSON
    switch ad.campaign {
    case .campaign(let number): campaign = .number(number)
    case .source(let digits): campaign = .string(index == 0 ? digits : String(digits.suffix(2)))
    }
    var (fine, coarse): (JSON?, JSON?) = (nil, nil)
    switch value {
    case .fine(let number)?: fine = .number(number)
    case .coarse(let word)?: coarse = .string(word)
    case nil: break
    }
    return (members["campaign-id"] ?? members["source-identifier"]) == campaign
      && body["version"]?.string == ad.version?.rawValue && body["conversion-value"] == fine
      && body["coarse-conversion-value"] == coarse
  }
}
