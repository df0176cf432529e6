internal import PCMCore
internal import PCMCrypto

/// The members that a device ignores, or does not send.
enum UnknownMembers {
  private static let limit = 8

  /// Returns a note for each AdAttributionKit member with an unknown name, with the known name that it resembles.
  ///
  /// - Parameter onlySimilar: Whether only names that resemble a known name have a note.
  static func notes(_ reader: MemberReader, onlySimilar: Bool = false) -> [Fault] {
    notes(reader.members, reader.names, of: .adattributionkit, at: reader.pointer, onlySimilar: onlySimilar)
  }

  /// Returns a note for each SKAdNetwork member whose name resembles a known name.
  static func notes(_ subject: SignatureVerdict.Subject, _ members: [JSON.Member]) -> [Fault] {
    let spelling = MemberSpelling(subject, members)
    return notes(members, spelling.members.map(spelling.name), of: .skadnetwork, at: "", onlySimilar: true)
  }

  private static func notes(
    _ members: [JSON.Member], _ known: [String], of framework: AdFramework, at pointer: String, onlySimilar: Bool
  ) -> [Fault] {
    let present = Set(members.map(\.name))
    let absent = known.filter { !present.contains($0) }
    let notes: [Fault] = members.filter { !known.contains($0.name) }.compactMap { member in
      let shown = member.name.asShown(upTo: 60)
      let place = pointer + "/" + JSONPointer.escaped(member.name.truncated(to: 60))
      if let name = similar(member.name, absent, framework) {
        return Fault(place, "\(shown) is unknown, and a device ignores it. The member is named \(name).")
      }
      return onlySimilar ? nil : Fault(place, "\(shown) is unknown, and a device ignores it.")
    }
    return Array(notes.prefix(limit))
  }

  /// - Parameter known: The names of the missing members.
  private static func similar(_ name: String, _ known: [String], _ framework: AdFramework) -> String? {
    if let meant = PostbackName.meant(by: name)?.member {
      return meant.name(in: framework).flatMap { known.contains($0) ? $0 : nil }
    }
    // Some programs write the kind of value in the name of a fine value.
    let isCoarse = MemberSpelling.plain(name).contains("coarse")
    let plain = Array(MemberSpelling.plain(name).replacing("fine", with: "").utf8)
    guard !plain.isEmpty else { return nil }
    return EditDistance.nearest(of: known.filter { $0.contains("coarse") == isCoarse }) { known in
      let other = Array(MemberSpelling.plain(known).utf8)
      if plain.count > 7, other.starts(with: plain) { return 1 }
      return EditDistance.between(plain, other, atMost: max(2, other.count / 4))
    }.first
  }
}
