/// The line and the column of a position in UTF-8, from 1. Columns count Unicode scalars.
package struct TextPlace: Hashable, Sendable {
  package let line: Int
  package let column: Int

  package init(of position: Int, in bytes: some RandomAccessCollection<UInt8>) {
    let before = bytes.prefix(position)
    let isBreak = { (byte: UInt8) in byte == UInt8(ascii: "\n") }
    line = before.count(where: isBreak) + 1
    let start = before.lastIndex(where: isBreak).map { before.index(after: $0) } ?? before.startIndex
    // The further bytes of a character do not count.
    column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
  }
}
