import Foundation
import PCMCrypto
import SignatureSupport

/// Writes logs for `pcm-browser verify`: a generated day with its verdicts, and valid postbacks on each curve.
enum LogBenchmark {
  static func run(folder: String, count: Int) throws {
    var day = try GeneratedDay()
    var verdicts = ""
    try write("\(folder)/day.jsonl", count) {
      let line = try day.next()
      verdicts += line.outcome + "\n"
      return line.bytes
    }
    try Data(verdicts.utf8).write(to: URL(fileURLWithPath: "\(folder)/day.verdicts"))
    for curve in [Curve.p256, .p192] {
      try write("\(folder)/\(curve).jsonl", count / 10) { try day.valid(curve) }
    }
  }

  private static func write(_ path: String, _ count: Int, _ line: () throws -> [UInt8]) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    var part = Data()
    for number in 1...count {
      part += try line() + [UInt8(ascii: "\n")]
      guard part.count > 1_000_000 || number == count else { continue }
      try file.write(contentsOf: part)
      part.removeAll()
    }
    try file.close()
  }
}
