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

/// The counts of a part of a simulation.
struct SimulationCounts: Sendable {
  var events = 0
  /// The lines with a kind that the profile ignores.
  var ignored = 0
  var reports = 0
  /// The losses by the kind of their event and by reason.
  var losses: [SimulatedLoss.Subject: [String: Int]] = [:]

  mutating func add(_ other: SimulationCounts) {
    events += other.events
    ignored += other.ignored
    reports += other.reports
    for (subject, reasons) in other.losses { losses[subject, default: [:]].merge(reasons, uniquingKeysWith: +) }
  }
}

/// The simulation of blocks, one after another: it keeps what repeats in them. A core has one.
final class UserSimulation {
  private let seed: String
  private let format: EventFormat
  private let shares: UserShares?
  private var actions: EventActions
  private var profiled = ProfiledCells()
  private var row = EventRow()
  private var result = SimulatedBlock()
  private var current: Current?

  /// The user whose events are read.
  private struct Current {
    let name: [UInt8]
    var user: SimulatedUser
    /// The time and the line of the last event.
    var last: (at: Instant, line: Int64)
  }

  /// - Parameter shares: The users that differ; nil without a profile.
  init(seed: String, format: EventFormat, sites: SiteParser, shares: UserShares? = nil) {
    (self.seed, self.format, self.shares) = (seed, format, shares)
    actions = EventActions(sites: sites)
  }

  func simulate(_ block: EventBlock) -> SimulatedBlock {
    result = SimulatedBlock()
    for record in block.records {
      do throws(EventError) {
        try read(record, in: block)
      } catch {
        result.faults.append((record.line, error))
      }
    }
    finishUser()
    return result
  }

  private func read(_ record: EventRecord, in block: EventBlock) throws(EventError) {
    let at = try row.read(block.bytes[record.range], format, block.columns)
    let name = row.cells[block.columns.user]
    if let current, !name.elementsEqual(current.name) { finishUser() }
    if let last = current?.last, at < last.at {
      throw EventError(
        column: "time", detail: "\(at.text) is before \(last.at.text) of line \(last.line); sort the file by user and time")
    }
    guard let action = try action(block.columns) else {
      result.counts.ignored += 1
      return
    }
    if current == nil { begin(Array(name), at: at, line: record.line) }
    current?.user.perform(action, line: record.line, at: at)
    current?.last = (at, record.line)
    result.counts.events += 1
  }

  /// Returns the action of the record; nil if the profile ignores it.
  private func action(_ columns: EventColumns) throws(EventError) -> SimulatedAction? {
    guard let profile = columns.profile else { return try actions.action(row.cells, columns) }
    guard try profiled.read(row.cells, profile) else { return nil }
    do throws(EventError) {
      return try actions.action(profiled.cells, profile.columns)
    } catch {
      throw profile.named(error)
    }
  }

  private func begin(_ name: [UInt8], at start: Instant, line: Int64) {
    let seed = SimulatedUser.seed(seed, user: String(decoding: name, as: UTF8.self))
    let user = shares?.user(seed: seed, at: start) ?? SimulatedUser(seed: seed, at: start)
    current = Current(name: name, user: user, last: (start, line))
    result.users.append((EventActions.hash(name), line))
  }

  private func finishUser() {
    guard var finished = current else { return }
    current = nil
    finished.user.finish()
    write(finished.user.reports, of: finished.name)
    write(finished.user.losses, of: finished.name)
  }

  private func write(_ reports: [SimulatedReport], of name: [UInt8]) {
    guard !reports.isEmpty else { return }
    let user = JSON.string(String(decoding: name, as: UTF8.self)).bytes
    for report in reports {
      result.reports += Array(#"{"user":"#.utf8)
      result.reports += user
      let rest: [JSON.Member] = [
        .init("recipient", .string(report.recipient.rawValue)), .init("at", .string(report.at.text)),
        .init("body", report.body),
        .init("click", .number(report.click)), .init("trigger", .number(report.trigger)),
      ]
      result.reports.append(UInt8(ascii: ","))
      // The members follow the user in the same object.
      result.reports += JSON.object(rest).bytes.dropFirst()
      result.reports.append(UInt8(ascii: "\n"))
    }
    result.counts.reports += reports.count
  }

  private func write(_ losses: [SimulatedLoss], of name: [UInt8]) {
    guard !losses.isEmpty else { return }
    let user = Self.cell(name)
    for loss in losses.sorted(by: { ($0.line, $0.subject.rawValue) < ($1.line, $1.subject.rawValue) }) {
      result.losses += user
      result.losses += Array(",\(loss.line),\(loss.subject.rawValue),\(loss.rule),\(loss.reason)\n".utf8)
      result.counts.losses[loss.subject, default: [:]][loss.reason, default: 0] += 1
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
