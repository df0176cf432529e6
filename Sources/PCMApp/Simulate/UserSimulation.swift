import PCMBrowser
import PCMCore
import PCMURL

/// The result of a block of users, in their order.
struct SimulatedBlock: Sendable {
  /// A JSON object a line for each report.
  var reports: [UInt8] = []
  /// A row of CSV for each loss.
  var losses: [UInt8] = []
  /// The users, as a hash of 8 bytes, with their first lines.
  var users: [(hash: UInt64, line: Int64)] = []
  /// The records that could not be read.
  var faults: [(line: Int64, error: EventError)] = []
  var counts = SimulationCounts()
}

/// The simulation of blocks, one after another: it keeps what repeats in them. A core has one.
struct UserSimulation {
  private let seed: String
  private let format: EventFormat
  private let device: SimulationDevice
  private let shares: UserShares
  private var actions: EventActions
  private var profiled = ProfiledCells()
  private var row = EventRow()
  private var result = SimulatedBlock()
  private var lastClicks = LastClicks()
  private var lastAds = LastAds()

  /// The user whose events are read.
  private var user: SimulatedUser?
  private var name: [UInt8] = []
  /// The time and the line of the last event.
  private var last: (at: Instant, line: Int64) = (.earliest, 0)
  /// The counts of the losses of the block.
  private var tallies: [(loss: SimulatedLoss, count: Int)] = []

  /// - Parameter shares: The users that differ.
  init(seed: String, format: EventFormat, device: SimulationDevice, shares: UserShares) {
    (self.seed, self.format, self.device, self.shares) = (seed, format, device, shares)
    actions = EventActions(device: device)
  }

  mutating func simulate(_ block: EventBlock) -> SimulatedBlock {
    result = SimulatedBlock()
    for record in block.records {
      do throws(EventError) {
        try read(record, in: block)
      } catch {
        result.faults.append((record.line, error))
      }
    }
    finishUser()
    for (loss, count) in tallies { result.counts.count(loss, times: count) }
    tallies.removeAll(keepingCapacity: true)
    return result
  }

  private mutating func read(_ record: EventRecord, in block: EventBlock) throws(EventError) {
    let at = try row.read(block.bytes[record.range], format, block.columns)
    let name = row.cells[block.columns.user]
    if user != nil, !name.elementsEqual(self.name) { finishUser() }
    if user != nil, at < last.at {
      throw EventError(
        column: "time", detail: "\(at.text) is before \(last.at.text) of line \(last.line); sort the file by user and time")
    }
    guard let action = try action(block.columns) else {
      result.counts.countIgnored()
      return
    }
    if user == nil { begin(Array(name), at: at, line: record.line) }
    user?.perform(action, line: record.line, at: at)
    last = (at, record.line)
    result.counts.count(action, &lastClicks)
    if case .device(let action)? = action.touch { lastAds.count(action, line: record.line, in: &result.counts.apps) }
    if let profile = block.columns.profile {
      for index in profiled.encodings { result.counts.count(row.cells, profile.encodings[index].from, encoding: index) }
    }
  }

  /// Returns the action of the record; nil if the profile ignores it.
  private mutating func action(_ columns: EventColumns) throws(EventError) -> SimulatedAction? {
    guard let profile = columns.profile else { return try actions.action(row.cells, columns) }
    guard try profiled.read(row.cells, profile) else { return nil }
    do throws(EventError) {
      return try actions.action(profiled.cells, profile.columns)
    } catch {
      throw profile.named(error)
    }
  }

  private mutating func begin(_ name: [UInt8], at start: Instant, line: Int64) {
    let seed = SimulatedUser.seed(seed, user: String(decoding: name, as: UTF8.self))
    user = shares.user(seed: seed, in: device.usedWorld, at: start)
    self.name = name
    result.users.append((FNV1a.mixedHash(name), line))
    lastClicks.removeAll()
    lastAds.removeAll()
  }

  private mutating func finishUser() {
    guard var finished = user else { return }
    user = nil
    finished.finish()
    let postbacks = finished.postbacks
    if postbacks.isEmpty { write(finished.reports) } else { write(postbacks, among: finished.reports) }
    write(finished.losses)
  }

  /// Writes reports and postbacks in the order of time, which both have.
  private mutating func write(_ postbacks: [SimulatedPostback], among reports: [SimulatedReport]) {
    let user = JSON.string(String(decoding: name, as: UTF8.self)).bytes
    var reports = reports[...]
    for postback in postbacks {
      let earlier = reports.prefix { $0.at <= postback.at }
      write(Array(earlier))
      reports = reports[earlier.endIndex...]
      postback.write(of: user, into: &result.reports)
    }
    write(Array(reports))
    result.counts.apps.count(postbacks, taps: lastAds.taps)
  }

  private mutating func write(_ reports: [SimulatedReport]) {
    guard !reports.isEmpty else { return }
    let user = JSON.string(String(decoding: name, as: UTF8.self)).bytes
    for report in reports {
      result.reports.append(contentsOf: #"{"user":"#.utf8)
      result.reports.append(contentsOf: user)
      result.reports.append(contentsOf: #","recipient":""#.utf8)
      result.reports.append(contentsOf: report.recipient.rawValue.utf8)
      result.reports.append(contentsOf: #"","at":""#.utf8)
      report.at.write(into: &result.reports)
      result.reports.append(contentsOf: #"","body":"#.utf8)
      report.writeBody(into: &result.reports)
      result.reports.append(contentsOf: #","click":"#.utf8)
      JSON.write(report.click, into: &result.reports)
      result.reports.append(contentsOf: #","trigger":"#.utf8)
      JSON.write(report.trigger, into: &result.reports)
      result.reports.append(contentsOf: "}\n".utf8)
      result.counts.count(report)
    }
  }

  private mutating func write(_ losses: [SimulatedLoss]) {
    guard !losses.isEmpty else { return }
    let user = Self.cell(name)
    for loss in losses.sorted(by: { $0.line == $1.line ? $0.subject.rawValue < $1.subject.rawValue : $0.line < $1.line }) {
      result.losses.append(contentsOf: user)
      result.losses.append(UInt8(ascii: ","))
      JSON.write(loss.line, into: &result.losses)
      for cell in [loss.subject.rawValue, loss.rule, loss.reason] {
        result.losses.append(UInt8(ascii: ","))
        result.losses.append(contentsOf: cell.utf8)
      }
      result.losses.append(UInt8(ascii: "\n"))
      tally(loss)
    }
  }

  /// Counts a loss. The reasons are few, and most of them are literals, which are compared fast.
  private mutating func tally(_ loss: SimulatedLoss) {
    if let index = tallies.firstIndex(where: {
      $0.loss.subject == loss.subject && $0.loss.reason == loss.reason && $0.loss.rule == loss.rule
    }) {
      tallies[index].count += 1
    } else {
      tallies.append((loss, 1))
    }
  }

  /// Returns a cell of CSV, between quotation marks if it needs them (RFC 4180).
  private static func cell(_ text: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    guard text.contains(where: { [quote, UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains($0) }) else {
      return text
    }
    return [quote] + text.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }
}
