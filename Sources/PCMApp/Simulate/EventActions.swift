import Foundation
import PCMBrowser
import PCMCore

/// The actions of records. Records with the same cells have the same action, whose URLs are read once. Links, triggering events, and ads
/// that differ only in their numbers share it, too.
struct EventActions {
  private let device: SimulationDevice
  private var known = ActionTable()
  private var key: [UInt8] = []

  init(device: SimulationDevice) { self.device = device }

  /// Returns the action of a record.
  mutating func action(_ cells: EventCells, _ columns: EventColumns) throws(EventError) -> SimulatedAction {
    switch Numbers(cells, columns) {
    case .link(let sourceID):
      return try action(cells, columns, keyGaps: columns.keyGaps.link).link(withSourceID: sourceID)
    case .trigger(let trigger):
      return try action(cells, columns, keyGaps: columns.keyGaps.trigger).triggeringEvent(with: trigger)
    case .ad(let identifier):
      let shared = try action(cells, columns, keyGaps: columns.keyGaps.ad)
      if let ad = shared.ad(withSourceIdentifier: identifier) { return ad }
      return try action(cells, columns, keyGaps: columns.keyGaps.all)
    case nil:
      return try action(cells, columns, keyGaps: columns.keyGaps.all)
    }
  }

  /// Returns the action of a record, which records that differ only in some cells share.
  private mutating func action(
    _ cells: EventCells, _ columns: EventColumns, keyGaps: [Int]
  ) throws(EventError) -> SimulatedAction {
    setKey(cells, gaps: keyGaps)
    let hash = Self.quickHash(key)
    if let found = known[key, hash] { return found }
    let action = try EventReading(cells: cells, columns: columns, device: device).action()
    known.insert(action, key, hash)
    return action
  }

  /// - Parameter gaps: The cells that are not in the key, in their order.
  private mutating func setKey(_ cells: EventCells, gaps: [Int]) {
    key.removeAll(keepingCapacity: true)
    key.append(UInt8(truncatingIfNeeded: gaps.count))
    var start = 0
    for gap in gaps {
      cells.append(start..<gap, to: &key)
      key.append(EventCells.separator)
      start = gap + 1
    }
    cells.append(start..<cells.count, to: &key)
  }

  /// A hash of eight bytes at a time, for the memory of one run.
  private static func quickHash(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      var (hash, place) = (UInt64(bytes.count), 0)
      while place + 8 <= bytes.count {
        hash = SplitMix64.mix(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        place += 8
      }
      while place < bytes.count {
        hash = (hash ^ UInt64(bytes[place])) &* 0x0000_0100_0000_01B3
        place += 1
      }
      return SplitMix64.mix(hash)
    }
  }
}

/// The numbers of a link, a triggering event, or an ad that are all in their range. Records that differ in nothing else share an action.
private enum Numbers {
  case link(sourceID: UInt8)
  case trigger(Trigger)
  case ad(sourceIdentifier: Int)

  init?(_ cells: EventCells, _ columns: EventColumns) {
    guard columns.kind < cells.count else { return nil }
    let kind = cells[columns.kind]
    if Self.links.contains(where: kind.elementsEqual) {
      guard let column = columns.numbers.link.first, let sourceID = Self.number(cells, column, upTo: 255) else { return nil }
      self = .link(sourceID: UInt8(sourceID))
    } else if Self.ads.contains(where: kind.elementsEqual) {
      guard let column = columns.numbers.ad.first, let identifier = Self.number(cells, column, upTo: 9_999) else { return nil }
      self = .ad(sourceIdentifier: identifier)
    } else if Self.triggers.contains(where: kind.elementsEqual) {
      guard columns.numbers.trigger.count == 2, let data = Self.number(cells, columns.numbers.trigger[0], upTo: 15),
        let priority = Self.number(cells, columns.numbers.trigger[1], upTo: 63)
      else { return nil }
      self = .trigger(Trigger(data: UInt8(data), priority: UInt8(priority)))
    } else {
      return nil
    }
  }

  private static let links = names(of: .link)
  private static let triggers = names(of: .trigger)
  private static let ads = names(of: .impression)

  private static func names(of step: EventStep) -> [[UInt8]] {
    EventStep.names.filter { EventStep(name: $0) == step }.map { Array($0.utf8) }
  }

  /// Returns the number in a cell of one to three digits, or of more if the maximum has more; nil for any other cell, and for a number
  /// above the maximum.
  private static func number(_ cells: EventCells, _ column: Int, upTo maximum: Int) -> Int? {
    guard column < cells.count, (1...(maximum > 999 ? 4 : 3)).contains(cells[column].count) else { return nil }
    var number = 0
    for byte in cells[column] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int(byte & 15)
    }
    return number <= maximum ? number : nil
  }
}
