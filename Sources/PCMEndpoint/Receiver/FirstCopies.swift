package import PCMCore
package import PCMVerify

/// The unsigned values of a postback or a report, each as a hash of 16 bits.
package struct UnsignedValues: Hashable, Sendable {
  /// The names of the members. Members that a forwarder adds do not count.
  fileprivate enum Names: UInt8 {
    case postback, report

    var all: [String] {
      switch self {
      case .postback: ["conversion-value", "coarse-conversion-value", "ad-interaction-type", "country-code", "redownload"]
      case .report: ["source_site", "source_id", "attributed_on_site", "trigger_data", "version"]
      }
    }
  }

  private var hashes: UInt64 = 0
  private var last: UInt16 = 0
  private let names: Names

  package init(postback verdict: SignatureVerdict) { self.init(.postback, verdict.unsigned) }

  package init(report: JSON) { self.init(.report, report.members) }

  private init(_ names: Names, _ members: [JSON.Member]) {
    self.names = names
    for name in names.all {
      hashes = hashes << 16 | UInt64(last)
      last = members.first { $0.name == name }.map { Self.hash($0.value) } ?? 0
    }
  }

  /// FNV-1a, folded. No two values of a conversion are equal.
  private static func hash(_ value: JSON) -> UInt16 {
    let hash = value.bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return UInt16(truncatingIfNeeded: hash >> 16 ^ hash)
  }

  /// Returns the names of the values that differ.
  fileprivate func differences(from other: UnsignedValues) -> [String] {
    var (changed, isLast) = (hashes ^ other.hashes, last != other.last)
    return names.all.reversed().filter { _ in
      defer { (isLast, changed) = (changed & 0xFFFF != 0, changed >> 16) }
      return isLast
    }.sorted()
  }
}

/// The first copies of valid postbacks or reports, by their identities. The oldest are removed.
package struct FirstCopies<Identity: Hashable & Sendable>: Sendable {
  private var copies: NewestValues<Identity, FirstCopy>

  private struct FirstCopy {
    let values: UnsignedValues
    let number: UInt32
  }

  package init(capacity: Int) { copies = NewestValues(capacity: capacity) }

  /// The number of removed copies, whose repetition is not recognized.
  package var removedCount: Int { copies.removedCount }

  /// Returns the first copy of a copy; nil for a first copy, which is stored.
  package mutating func duplicate(
    of identity: Identity, _ values: UnsignedValues, number: Int64
  ) -> PostbackVerdict.Duplicate? {
    guard let first = copies[identity] else {
      copies.set(FirstCopy(values: values, number: UInt32(truncatingIfNeeded: number)), for: identity)
      return nil
    }
    return PostbackVerdict.Duplicate(number: Int64(first.number), changed: values.differences(from: first.values))
  }
}
