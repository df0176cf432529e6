internal import PCMCore
internal import PCMCrypto

/// A row of the table of mistakes with a value: the wrong signed texts, the description, and the fix.
///
/// In sentences, `{value}` stands for the name of the value, `{signed}` for the signed text, and `{right}` for the correct
/// text.
struct ValueMistake: Sendable {
  let members: [SignedMember]
  let finding: String
  let instruction: String
  let isFrequent: Bool
  /// The wrong signed texts for a correct text; nil for an omitted value.
  let texts: @Sendable (String) -> [String?]

  init(
    _ members: [SignedMember], _ finding: String, _ instruction: String, isFrequent: Bool = false,
    _ texts: @escaping @Sendable (String) -> [String?]
  ) {
    (self.members, self.finding, self.instruction, self.isFrequent, self.texts) = (
      members, finding, instruction, isFrequent, texts
    )
  }

  /// Returns the mistakes with each value of a form. Of several texts, only the first is frequent.
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
  private static let integer = "Sign {value} as an integer in decimal digits."
  private static let uuid = "Sign {value} as a UUID with hyphens, in lower case."
  private static let milliseconds = "Sign {value} in milliseconds since 1970."
  private static let wide = "Sign {value} as a 64-bit integer."
  private static let asGiven = "Sign {value} as it is in the item."

  /// The mistakes of ad networks, the most likely first.
  static let ofImpressions: [ValueMistake] = ofNonces + ofNumbers + ofOthers

  private static let ofNonces: [ValueMistake] = [
    ValueMistake([.nonce], "{value} is signed in upper case.", "Sign {value} in lower case.", isFrequent: true) {
      [$0.uppercased()]
    },
    ValueMistake([.nonce], "{value} is signed in Base64URL, as in source_nonce: {signed}.", uuid, isFrequent: true) { nonce in
      let text = Base64URL.encode(bytes(ofUUID: nonce))
      return [text, text + "=="]
    },
    ValueMistake([.nonce], "{value} is signed without hyphens.", uuid, isFrequent: true) { nonce in
      let digits = nonce.filter { $0 != "-" }
      return [digits, digits.uppercased()]
    },
    ValueMistake([.nonce], "{value} is signed in Base64: {signed}.", uuid) { nonce in
      [bytes(ofUUID: nonce), Array(nonce.utf8), Array(nonce.uppercased().utf8)].map(Base64.encode)
    },
    ValueMistake([.nonce], "{value} is signed with text around it: {signed}.", uuid) { ["{\($0)}", "urn:uuid:\($0)"] },
  ]

  private static let ofNumbers: [ValueMistake] = [
    ValueMistake([.timestamp], "{value} is signed in seconds.", milliseconds, isFrequent: true) { text in
      Int64(text).map { ["\($0 / 1_000)", "\(Double($0) / 1_000)"] } ?? []
    },
    ValueMistake([.timestamp], "{value} is signed in microseconds or nanoseconds.", milliseconds) {
      [$0 + "000", $0 + "000000"]
    },
    exponential([.timestamp], isFrequent: true), exponential(apps, isFrequent: false),
    ValueMistake(numbers, "{value} is signed in another form: {signed}.", integer) { text in
      [text + ".0", "0" + text, NumberText.grouped(text, ","), NumberText.grouped(text, ".")]
    },
    ValueMistake(apps, "{value} is signed with the prefix id: {signed}.", "Sign {value} as digits only.", isFrequent: true) {
      ["id" + $0, "/id" + $0, "id=" + $0]
    },
    ValueMistake(
      [.timestamp], "The signature verifies with {value} in milliseconds.", "Send {value} in milliseconds, too.",
      isFrequent: true, NumberText.milliseconds),
    ValueMistake(long, "{signed} is the largest 32-bit integer: {value} went through 32 bits before it was signed.", wide) {
      NumberText.isWide($0) ? ["\(Int32.max)"] : []
    },
    ValueMistake(long, "{value} is signed as it is in 32 bits: {signed}.", wide, NumberText.inThirtyTwoBits),
    narrowed([.timestamp], ThirtyTwoBits.times), narrowed(apps, ThirtyTwoBits.apps),
  ]

  private static let ofOthers: [ValueMistake] = [
    ValueMistake(
      [.version], "The signed text is for version {signed}.", "Sign the values of version {right}.", isFrequent: true
    ) {
      [String($0.prefix { $0 != "." })] + SKAdNetworkVersion.allCases.reversed().map(\.rawValue) + ["v" + $0]
    },
    ValueMistake(
      [.fidelityType], "The signed text has fidelity type {signed}.",
      "Use fidelity type 1 for StoreKit-rendered and web ads, 0 for view-through ads.", isFrequent: true
    ) { $0 == "1" ? ["0", "true"] : ["1", "false"] },
    ValueMistake(
      [.fidelityType, .sourceItemIdentifier, .sourceDomain], "{value} is not part of the signed text.", asGiven,
      isFrequent: true
    ) { _ in [nil] },
    ValueMistake(
      [.sourceItemIdentifier], "The signature verifies with {value} 0, an app that is signed for development.",
      "Send 0 as {value}, too."
    ) { _ in ["0"] },
    ValueMistake(
      [.nonce, .adNetworkIdentifier], "The signature verifies with {value} in lower case.", "Send {value} in lower case, too."
    ) { [$0.lowercased()] },
    ValueMistake(
      [.adNetworkIdentifier, .sourceDomain], "{value} is signed in other letters: {signed}.", "Sign {value} in lower case."
    ) {
      [$0.uppercased(), $0.capitalizedFirst]
    },
    ValueMistake([.adNetworkIdentifier], "{value} is signed without its suffix: {signed}.", asGiven) { text in
      text.firstIndex(of: ".").map { [String(text[..<$0])] } ?? []
    },
    ValueMistake([.sourceDomain], "{value} is signed as a URL, or with www: {signed}.", "Sign {value} as a registrable domain.")
    {
      ["https://\($0)", "https://\($0)/", "www.\($0)", "https://www.\($0)", "http://\($0)"]
    },
    ValueMistake(SignedMember.ofImpressions, "{value} is signed as other text: {signed}.", asGiven) {
      ["", "null", "\"\($0)\"", $0 + " "]
    },
  ]

  /// The changes of forwarders to postbacks.
  static let ofPostbacks: [ValueMistake] = [
    forwarded([.transactionIdentifier, .adNetworkIdentifier], "{name} in lower case") { [$0.lowercased()] },
    forwarded([.transactionIdentifier], "{name} in upper case") { [$0.uppercased()] },
    forwarded([.fidelityType], "{name} {signed}") { $0 == "1" ? ["0"] : ["1"] },
    forwarded([.redownload, .didWin], "{name} {signed}") { $0 == "true" ? ["false"] : ["true"] },
    // A number does not keep leading zeros.
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
  /// The advice about a postback that a forwarder changed.
  static let exactly = "Verify the members exactly as the device sent them."
}

extension SignedMember {
  /// Whether the value is a numeric identifier.
  var isIdentifier: Bool { [.campaignIdentifier, .sourceIdentifier, .itemIdentifier, .sourceItemIdentifier].contains(self) }

  /// The name of the value in sentences.
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
