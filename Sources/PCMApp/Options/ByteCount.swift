import ArgumentParser

/// A number of bytes on the command line: `1048576`, `500MB`, or `2GiB`.
struct ByteCount: Hashable, ExpressibleByArgument {
  let bytes: Int

  private static let units: [(name: String, bytes: Int)] = [
    ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("B", 1),
  ]

  init(_ bytes: Int) {
    self.bytes = bytes
  }

  init?(argument: String) {
    let digits = argument.prefix { ("0"..."9").contains($0) }
    let unit = argument.dropFirst(digits.count)
    guard let count = Int(digits), count > 0,
      let scale = unit.isEmpty ? 1 : Self.units.first(where: { $0.name.lowercased() == unit.lowercased() })?.bytes
    else { return nil }
    let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: scale)
    guard !isTooLarge else { return nil }
    self.bytes = bytes
  }

  /// The number with the largest binary unit that divides it.
  var defaultValueDescription: String {
    let unit = Self.units.prefix(4).first { bytes % $0.bytes == 0 }
    return unit.map { "\(bytes / $0.bytes)\($0.name)" } ?? "\(bytes)"
  }
}
