import Foundation
import Testing

/// Which seeds are run.
enum Seeds {
  /// One seed from the environment, or a range as in `PCM_SIMULATION_SEEDS=1000-5000`; without either, the seeds that every
  /// run of the tests has.
  static let chosen = chosen(orElse: 1...320)

  static func chosen(orElse usual: ClosedRange<UInt64>) -> [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let one = environment["PCM_SIMULATION_SEED"].flatMap({ UInt64($0) }) { return [one] }
    let ends = (environment["PCM_SIMULATION_SEEDS"] ?? "").split(separator: "-").compactMap { UInt64($0) }
    guard ends.count == 2, ends[0] <= ends[1] else { return Array(usual) }
    return Array(ends[0]...ends[1])
  }

  /// Seeds that are run one after the other; the batches are run side by side.
  struct Batch: CustomTestStringConvertible {
    let seeds: [UInt64]

    var testDescription: String { seeds.count == 1 ? "\(seeds[0])" : "\(seeds[0])-\(seeds[seeds.count - 1])" }
  }

  static let batches = batches(of: chosen, by: 40)

  static func batches(of seeds: [UInt64], by count: Int) -> [Batch] {
    stride(from: 0, to: seeds.count, by: count).map { Batch(seeds: Array(seeds.dropFirst($0).prefix(count))) }
  }

  /// The lines of `Fixtures/simulation/seeds.txt`: a seed and its purpose.
  static func regressions() throws -> [UInt64] {
    let file = URL(filePath: #filePath).appending(path: "../../../Fixtures/simulation/seeds.txt").standardized
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { UInt64($0.prefix { $0.isNumber }) }
  }
}
