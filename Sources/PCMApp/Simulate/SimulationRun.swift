import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMURL

/// The simulation of a file on all cores, with its results in the order of the users.
struct SimulationRun {
  /// The name of the file in errors.
  let file: String
  let seed: String
  let format: EventFormat
  /// The number of records that may be skipped, because they cannot be read.
  let skipped: Int
  let reports: ResultFile
  let losses: ResultFile?
  var profile: SimulationProfile?
  /// Whether postbacks are signed with the published test keys.
  var signsPostbacks = false
  var blockSize = 1_048_576
  /// Learns the number of events after each block.
  var progress: (Int) -> Void = { _ in }

  static let lossHeader = "user,line,kind,rule,reason\n"

  func perform(_ stream: ByteStream) async throws -> SimulationSummary {
    var reader = EventBlockReader(stream, file: file, format: format, blockSize: blockSize)
    if let profile, profile.isMapping { reader.profile = profile }
    var summary = SimulationSummary()
    (summary.encodings, summary.signsPostbacks) = (profile?.countedEncodings ?? [], signsPostbacks)
    let idle = NIOLockedValueBox<[Worker]>([])
    let sites = SiteParser(publicSuffixList: .builtIn())
    let device =
      try profile?.device(sites: sites, signsPostbacks: signsPostbacks)
      ?? SimulationDevice(sites: sites, signsPostbacks: signsPostbacks)
    let (seed, format, shares) = (seed, format, profile?.shares ?? UserShares())
    try losses?.append(Array(Self.lossHeader.utf8))
    try await OrderedWork.perform {
      try reader.next()
    } work: { block in
      let worker =
        idle.withLockedValue { $0.popLast() }
        ?? Worker(simulation: UserSimulation(seed: seed, format: format, device: device, shares: shares))
      defer { idle.withLockedValue { $0.append(worker) } }
      return worker.simulation.simulate(block)
    } finish: { block in
      try finish(block, &summary)
    }
    return summary
  }

  /// A simulation that one thread at a time has.
  ///
  /// `@unchecked Sendable`: a worker is either in the list of idle workers or belongs to one task.
  private final class Worker: @unchecked Sendable {
    var simulation: UserSimulation

    init(simulation: UserSimulation) { self.simulation = simulation }
  }

  private func finish(_ block: SimulatedBlock, _ summary: inout SimulationSummary) throws {
    for fault in block.faults {
      summary.skipped += 1
      guard summary.skipped > skipped else { continue }
      let limit = skipped == 0 ? "" : "; it is one more than the \(skipped) that --skip-bad allows"
      throw StartError(description: "\(file):\(fault.line): \(fault.error.text)\(limit)")
    }
    for user in block.users where !summary.users.insert(user.hash).inserted {
      throw StartError(
        description: "\(file):\(user.line): user: the lines of this user are apart; sort the file by user and time")
    }
    summary.counts.add(block.counts)
    try reports.append(block.reports)
    try losses?.append(block.losses)
    progress(summary.counts.events)
  }
}
