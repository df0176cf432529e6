import Foundation
import PCMBrowser

/// Actions by the bytes of their records. The bytes of all of them stand in one array, which a search reads once.
struct ActionTable {
  private struct Entry {
    let hash: UInt64
    let key: Range<Int>
    let action: SimulatedAction
  }

  private var entries: [Entry] = []
  private var keys: [UInt8] = []
  /// The numbers of the entries from 1, each in the first free slot from the slot of its hash; 0 in a free slot. Their count is a power of
  /// two, and at least a half is free.
  private var slots = [Int32](repeating: 0, count: 1_024)

  /// The maximum number of actions in memory.
  private static let capacity = 65_536

  /// - Parameter hash: A hash of the key.
  subscript(key: [UInt8], hash: UInt64) -> SimulatedAction? {
    var slot = firstSlot(hash)
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if entries[index].hash == hash, isEqual(key, entries[index].key) { return entries[index].action }
      slot = slotAfter(slot)
    }
    return nil
  }

  /// Adds an action that is not in the table. A full table is emptied first.
  mutating func insert(_ action: SimulatedAction, _ key: [UInt8], _ hash: UInt64) {
    if entries.count == Self.capacity { self = ActionTable() }
    entries.append(Entry(hash: hash, key: keys.count..<keys.count + key.count, action: action))
    keys += key
    if entries.count > slots.count / 2 {
      slots = [Int32](repeating: 0, count: slots.count * 2)
      for index in entries.indices { fillSlot(index) }
    } else {
      fillSlot(entries.count - 1)
    }
  }

  private mutating func fillSlot(_ index: Int) {
    var slot = firstSlot(entries[index].hash)
    while slots[slot] != 0 { slot = slotAfter(slot) }
    slots[slot] = Int32(index + 1)
  }

  private func isEqual(_ key: [UInt8], _ other: Range<Int>) -> Bool {
    guard key.count == other.count else { return false }
    return keys.withUnsafeBytes { keys in
      key.withUnsafeBytes { key in
        guard let first = key.baseAddress, let second = keys.baseAddress else { return key.isEmpty }
        return memcmp(first, second + other.lowerBound, key.count) == 0
      }
    }
  }

  private func firstSlot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (slots.count - 1) }
  private func slotAfter(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }
}
