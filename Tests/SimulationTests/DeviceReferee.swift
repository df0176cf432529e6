import PCMCore
import PCMCrypto
import PCMVerify

/// The promises to ad networks and developers.
enum DevicePromise: String, CaseIterable, Sendable {
  case delay = "a postback is due within the documented range after its value is final"
  case copy = "the developer's copy has the bytes and the time of the winner's postback"
  case indexes = "a conversion has at most one winning postback for each window, and before version 4.0 one in all"
  case oneWinner = "one ad wins a conversion"
  case oncePerNetwork = "a network has postbacks for one ad of a conversion"
  case runnersUp = "at most five others have one postback each, without a value and a source"
  case signature = "each body verifies with the published key"
  case notEarly = "nothing leaves before it is due"
  case attempts = "nine attempts at most, within nine days"
  case settled = "a postback is delivered, or failed nine times, and does not leave again"
}

struct DeviceBreach: Error {
  let promise: DevicePromise
  let detail: String
}

/// Checks the sent postbacks against the promises. It knows neither ads nor values.
enum DeviceReferee {
  private static let verifier = Result {
    let pairs: [TestKeyPair] = [.skadnetworkP192, .skadnetworkP256, .production]
    return try pairs.map { pair in
      try SignatureVerifier(.given([NamedKey(name: pair.rawValue, use: pair.use, key: try PublicKey(base64: pair.publicKey))]))
    }
  }

  static func judge(_ postbacks: [SeenPostback]) throws {
    for postback in postbacks { try judge(postback) }
    for conversion in Dictionary(grouping: postbacks, by: \.conversion).values { try judge(conversion: conversion) }
  }

  private static func demand(_ holds: Bool, _ promise: DevicePromise, _ postback: SeenPostback) throws {
    guard holds else { throw DeviceBreach(promise: promise, detail: "\(postback)") }
  }

  private static func judge(_ postback: SeenPostback) throws {
    let delay = postback.scheduledAt.map { postback.dueAt - $0 }
    let range: ClosedRange<Interval> =
      if version(of: postback).map({ $0 < "4" }) ?? false { .hours(0) ... .hours(24) } else if postback.index == 0 {
        .hours(24) ... .hours(48)
      } else { .hours(24) ... .hours(144) }
    try demand(delay.map(range.contains) == true, .delay, postback)
    let isSigned = try verifier.get().contains { $0.verdict(on: Array(postback.body.utf8)).outcome == .valid }
    try demand(isSigned, .signature, postback)
    try demand(postback.sentAt.allSatisfy { $0 >= postback.dueAt }, .notEarly, postback)
    let first = postback.sentAt.first ?? postback.dueAt
    try demand(postback.sentAt.count <= 9 && postback.sentAt.allSatisfy { $0 <= first + .days(9) }, .attempts, postback)
    try demand(
      postback.state == .delivered && !postback.sentAt.isEmpty || postback.state == .failed && postback.sentAt.count == 9,
      .settled, postback)
    if !postback.didWin {
      let texts = ["conversion-value", "coarse-conversion-value", "source-app-id", "source-domain"]
      try demand(
        postback.index == 0 && postback.recipient == .adNetwork && !texts.contains { postback.body.contains("\"\($0)\"") }
          && !signed(postback).contains("publisher-item-identifier"), .runnersUp, postback)
    }
  }

  private static func judge(conversion postbacks: [SeenPostback]) throws {
    guard let any = postbacks.first else { return }
    let winning = postbacks.filter { $0.didWin && $0.recipient == .adNetwork }
    let indexes = winning.map(\.index)
    let isEarly = winning.contains { version(of: $0).map { $0 < "4" } ?? false }
    try demand(
      Set(indexes).count == indexes.count && indexes.allSatisfy { 0...(isEarly ? 0 : 2) ~= $0 }, .indexes, winning.first ?? any)
    try demand(Set(postbacks.filter(\.didWin).map(\.impression)).count <= 1, .oneWinner, any)
    for network in Dictionary(grouping: postbacks, by: \.network).values {
      try demand(Set(network.map(\.impression)).count == 1, .oncePerNetwork, network[0])
    }
    let others = postbacks.filter { !$0.didWin }
    try demand(others.count <= 5 && Set(others.map(\.impression)).count == others.count, .runnersUp, any)
    for copy in postbacks where copy.recipient == .developer {
      let original = winning.first { $0.index == copy.index }
      try demand(original?.body == copy.body && original?.dueAt == copy.dueAt, .copy, copy)
    }
  }

  /// The version of SKAdNetwork; nil for AdAttributionKit.
  private static func version(of postback: SeenPostback) -> String? {
    JSON(parsing: Array(postback.body.utf8))?["version"]?.string
  }

  /// The signed values of an AdAttributionKit postback; empty for SKAdNetwork.
  static func signed(_ postback: SeenPostback) -> String {
    let parts = JSON(parsing: Array(postback.body.utf8))?["jws-string"]?.string?.split(separator: ".") ?? []
    guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])) else { return "" }
    return String(decoding: payload, as: UTF8.self)
  }
}
