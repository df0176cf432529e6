internal import PCMCore

/// A row of the table of mistakes with one value: the texts that are signed in its place, in words, and the fix.
///
/// In the words, `{value}` stands for the name of the value, `{signed}` for the signed text, and `{right}` for the right one.
struct ValueMistake: Sendable {
  let members: [SignedMember]
  let finding: String
  let instruction: String
  let isFrequent: Bool
  /// The texts that are signed in place of the right one; nil for no text.
  let texts: @Sendable (String) -> [String?]

  init(
    _ members: [SignedMember], _ finding: String, _ instruction: String, isFrequent: Bool = false,
    _ texts: @escaping @Sendable (String) -> [String?]
  ) {
    (self.members, self.finding, self.instruction, self.isFrequent, self.texts) = (
      members, finding, instruction, isFrequent, texts
    )
  }

  /// The mistakes with each value of a form. Of several texts, the first one is frequent.
  func mistakes(_ form: SignedForm) -> [Mistake] {
    form.values.filter { members.contains($0.member) }.flatMap { member, text in
      let others = texts(text).filter { $0 != text }
      return others.enumerated().map { index, other in
        func words(_ sentence: String) -> String {
          sentence.replacing("{value}", with: member.title).replacing("{signed}", with: other?.asShown(upTo: 80) ?? "")
            .replacing("{right}", with: text.asShown(upTo: 80)).replacing("{name}", with: member.rawValue)
        }
        return Mistake(
          .value(member), words(finding).capitalizedFirst, words(instruction), isFrequent: isFrequent && index == 0
        ) { $0.set(member, other) }
      }
    }
  }

  private static let apps: [SignedMember] = [.itemIdentifier, .sourceItemIdentifier]
  private static let long: [SignedMember] = [.timestamp] + apps
  private static let numbers: [SignedMember] = [.campaignIdentifier, .sourceIdentifier, .fidelityType] + long
  private static let names: [SignedMember] = [.adNetworkIdentifier, .sourceDomain]
  private static let integer = "Sign {value} as an integer in decimal digits."
  private static let digits = "Sign {value} as digits only."
  private static let uuid = "Sign {value} as a UUID with hyphens, in lower case."
  private static let milliseconds = "Sign {value} in milliseconds since 1970."
  private static let asGiven = "Sign {value} as it is in the item."
  private static let wide = "Sign {value} as a 64-bit integer."

  /// The mistakes of ad networks, the most likely first.
  static let ofImpressions: [ValueMistake] = likely + texts

  private static let likely: [ValueMistake] = [
    ValueMistake([.nonce], "{value} is signed in upper case.", "Sign {value} in lower case.", isFrequent: true) {
      [$0.uppercased()]
    },
    ValueMistake(
      [.nonce], "{value} is signed in Base64URL, as in source_nonce: {signed}.", uuid, isFrequent: true
    ) { nonce in
      let text = Base64URL.encode(bytes(ofUUID: nonce))
      return [text, text + "=="]
    },
    ValueMistake([.nonce], "{value} is signed without hyphens.", uuid, isFrequent: true) { nonce in
      let digits = nonce.filter { $0 != "-" }
      return [digits, digits.uppercased()]
    },
    ValueMistake([.nonce], "{value} is signed in Base64: {signed}.", uuid) { [Base64.encode(bytes(ofUUID: $0))] },
    ValueMistake([.timestamp], "{value} is signed in seconds.", milliseconds, isFrequent: true) { text in
      Int64(text).map { ["\($0 / 1_000)"] } ?? []
    },
    exponential([.timestamp], isFrequent: true), exponential(apps, isFrequent: false),
    ValueMistake([.timestamp], "{value} is signed in microseconds.", milliseconds) { [$0 + "000", $0 + "000000"] },
    ValueMistake(numbers, "{value} is signed with a decimal point: {signed}.", integer) { [$0 + ".0"] },
    ValueMistake(apps, "{value} is signed with the prefix id: {signed}.", digits, isFrequent: true) { ["id" + $0] },
    ValueMistake(
      [.version], "The signed text is for version {signed}.", "Sign the values of version {right}.", isFrequent: true
    ) { version in
      [String(version.prefix { $0 != "." })] + SKAdNetworkVersion.allCases.reversed().map(\.rawValue)
    },
    ValueMistake(
      [.fidelityType], "The signed text has fidelity type {signed}.",
      "Use fidelity type 1 for StoreKit-rendered and web ads, 0 for view-through ads.", isFrequent: true
    ) { $0 == "1" ? ["0"] : ["1"] },
    ValueMistake(
      [.fidelityType], "{value} is not part of the signed text.", "Sign {value} before the timestamp.", isFrequent: true
    ) { _ in [nil] },
    ValueMistake(
      [.sourceDomain], "{value} is not part of the signed text.", "Sign {value} after the nonce.", isFrequent: true
    ) { _ in [nil] },
    ValueMistake(
      [.sourceItemIdentifier], "{value} is not part of the signed text.",
      "Sign {value}, with 0 for an app that is signed for development.", isFrequent: true
    ) { _ in [nil] },
    ValueMistake(
      [.sourceItemIdentifier], "The signature verifies with {value} 0, an app that is signed for development.",
      "Send 0 as {value}, too."
    ) { _ in ["0"] },
    ValueMistake(
      [.nonce, .adNetworkIdentifier], "The signature verifies with {value} in lower case.", "Send {value} in lower case, too."
    ) { [$0.lowercased()] },
    ValueMistake(
      [.timestamp], "The signature verifies with {value} in milliseconds.", "Send {value} in milliseconds, too.",
      isFrequent: true, NumberText.milliseconds),
    ValueMistake(
      long, "{signed} is the largest 32-bit integer: {value} went through 32 bits before it was signed.", wide
    ) { NumberText.isWide($0) ? ["\(Int32.max)"] : [] },
    ValueMistake(long, "{value} is signed as it is in 32 bits: {signed}.", wide, NumberText.inThirtyTwoBits),
    narrowed([.timestamp], ThirtyTwoBits.times), narrowed(apps, ThirtyTwoBits.apps),
  ]

  private static let texts: [ValueMistake] = [
    ValueMistake(names, "{value} is signed in other letters: {signed}.", "Sign {value} in lower case.") { name in
      [name.uppercased(), name.capitalizedFirst]
    },
    ValueMistake(
      [.adNetworkIdentifier], "{value} is signed without its suffix: {signed}.",
      "Sign {value} as it is registered, such as example123.skadnetwork."
    ) { text in text.firstIndex(of: ".").map { [String(text[..<$0])] } ?? [] },
    ValueMistake(
      [.sourceDomain], "{value} is signed as a URL, or with www: {signed}.",
      "Sign {value} as a registrable domain in lower case."
    ) { domain in
      ["https://\(domain)", "https://\(domain)/", "www.\(domain)", "https://www.\(domain)", "http://\(domain)", domain + "."]
    },
    ValueMistake([.nonce], "{value} is signed in Base64 of its text: {signed}.", uuid) { text in
      [text, text.uppercased()].map { Base64.encode(Array($0.utf8)) }
    },
    ValueMistake([.nonce], "{value} is signed with text around it: {signed}.", uuid) { nonce in
      ["{\(nonce)}", "urn:uuid:\(nonce)", "{\(nonce.uppercased())}"]
    },
    ValueMistake([.timestamp], "{value} is signed in seconds with a fraction: {signed}.", milliseconds) { text in
      guard let number = Int64(text) else { return [] }
      return ["\(number / 1_000).\("\(number % 1_000 + 1_000)".dropFirst())", "\(Double(number) / 1_000)"]
    },
    ValueMistake(long, "{value} is signed with digits in groups: {signed}.", integer) { text in
      [",", "."].map { NumberText.grouped(text, $0) }
    },
    ValueMistake(numbers, "{value} is signed with zeros in front: {signed}.", integer) { ["0" + $0] },
    ValueMistake(apps, "{value} is signed with another prefix: {signed}.", digits) { text in
      ["app", "id=", "/id"].map { $0 + text }
    },
    ValueMistake([.fidelityType], "{value} is signed as a word: {signed}.", integer) { $0 == "1" ? ["true"] : ["false"] },
    ValueMistake([.version], "{value} is signed with other text: {signed}.", "Sign {value} as in version.") { version in
      ["v" + version, version + ".0"]
    },
    ValueMistake(SignedMember.ofImpressions, "{value} is signed with white space.", "Sign {value} without white space.") {
      text in
      [text + " "]
    },
    ValueMistake(SignedMember.ofImpressions, "{value} is signed in quotation marks: {signed}.", "Sign {value} without them.") {
      text in
      ["\"\(text)\""]
    },
    ValueMistake(SignedMember.ofImpressions, "{value} is signed as no value: {signed}.", asGiven) { _ in
      ["", "null", "undefined"]
    },
  ]

  /// What forwarders of postbacks change.
  static let ofPostbacks: [ValueMistake] = [
    forwarded([.transactionIdentifier, .adNetworkIdentifier], "{name} in lower case") { [$0.lowercased()] },
    forwarded([.transactionIdentifier], "{name} in upper case") { [$0.uppercased()] },
    forwarded([.fidelityType], "{name} {signed}") { $0 == "1" ? ["0"] : ["1"] },
    forwarded([.redownload, .didWin], "{name} {signed}") { $0 == "true" ? ["false"] : ["true"] },
    // A number loses the zeros in front.
    forwarded([.sourceIdentifier], "{name} \"{signed}\"") { digits in
      ["0" + digits, "00" + digits].filter { $0.utf8.count <= 4 }
    },
    forwarded([.sourceItemIdentifier, .sourceDomain], "no source-app-id and no source-domain") { _ in [nil] },
  ]

  private static func exponential(_ members: [SignedMember], isFrequent: Bool) -> ValueMistake {
    ValueMistake(
      members, "{value} is signed in exponential notation: {signed}.", integer, isFrequent: isFrequent, NumberText.exponentials)
  }

  private static func narrowed(
    _ members: [SignedMember], _ origins: @escaping @Sendable (String) -> [String?]
  ) -> ValueMistake {
    ValueMistake(
      members, "The signature verifies with {value} {signed}: {value} went through 32 bits.",
      "Send {value} as a 64-bit integer, as it is signed.", origins)
  }

  private static func forwarded(
    _ members: [SignedMember], _ change: String, _ texts: @escaping @Sendable (String) -> [String?]
  ) -> ValueMistake {
    ValueMistake(members, "The signature verifies with \(change).", Mistake.exactly, texts)
  }

  private static func bytes(ofUUID text: String) -> [UInt8] { Hexadecimal.bytes(text.filter { $0 != "-" }) ?? [] }
}

extension Mistake {
  /// What to do about a postback that a forwarder changed.
  static let exactly = "Verify the members exactly as the device sent them."
}

extension SignedMember {
  /// Whether the value is a number that names something.
  var isIdentifier: Bool { [.campaignIdentifier, .sourceIdentifier, .itemIdentifier, .sourceItemIdentifier].contains(self) }

  /// The value in sentences.
  var title: String {
    switch self {
    case .version: "the version"
    case .adNetworkIdentifier: "the ad network's identifier"
    case .campaignIdentifier: "the campaign"
    case .sourceIdentifier: "the source identifier"
    case .itemIdentifier: "the advertised app"
    case .nonce: "the nonce"
    case .sourceItemIdentifier: "the source app"
    case .sourceDomain: "the source domain"
    case .fidelityType: "the fidelity type"
    case .timestamp: "the timestamp"
    default: rawValue
    }
  }
}
