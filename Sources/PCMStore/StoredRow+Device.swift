package import PCMCore

extension AppRecord: StoredRow {
  package static let table = RowTable(
    name: "apps",
    columns: [
      "bundle TEXT NOT NULL", "report_endpoint TEXT", "endpoint_problem TEXT", "sdk TEXT", "signing TEXT NOT NULL",
      "platform TEXT NOT NULL", "findings TEXT NOT NULL", "item_identifier INTEGER", "ad_attribution TEXT NOT NULL",
    ], key: ["bundle"], position: "bundle")

  package var rowKey: String { bundleIdentifier }

  package var columns: [any ColumnValue] {
    [
      bundleIdentifier, reportEndpoint, endpointError, build.sdk?.text, build.signing.rawValue, build.platform.rawValue,
      findings, itemIdentifier, adAttribution,
    ]
  }

  package init(columns row: inout RowReader) throws {
    self.init(
      bundleIdentifier: try row.text(), reportEndpoint: try row.optionalText(), endpointError: try row.optionalText(),
      build: try row.build(), findings: try row.jsonText(), itemIdentifier: try row.optionalInteger(),
      adAttribution: try row.jsonText())
  }

  package static func table(in tables: MemoryTables) -> MemoryTable<AppRecord> { tables.apps }
}

extension SiteRecord: StoredRow {
  package static let table = RowTable(
    name: "sites", columns: ["host TEXT NOT NULL", "behavior TEXT NOT NULL", "positions TEXT NOT NULL"], key: ["host"],
    position: "host")

  package var rowKey: String { host }
  package var columns: [any ColumnValue] { [host, behavior, positions] }

  package init(columns row: inout RowReader) throws {
    self.init(host: try row.text(), behavior: try row.jsonText(), positions: try row.jsonText())
  }

  package static func table(in tables: MemoryTables) -> MemoryTable<SiteRecord> { tables.sites }
}

extension DeviceRow: StoredRow {
  package static let table = RowTable(
    name: "device_rows",
    columns: ["name TEXT NOT NULL", "kind INTEGER NOT NULL", "value TEXT NOT NULL", "changes_at INTEGER"],
    key: ["kind", "name"], group: "kind", position: "name", times: ["changes_at", "kind", "name"])

  package var rowKey: Key { key }
  package static func columns(of key: Key) -> [any ColumnValue] { [key.kind.rawValue, key.name] }
  package var group: StoredValue? { key.kind.rawValue.stored }
  package var time: Instant? { changesAt }
  package var columns: [any ColumnValue] { [key.name, key.kind.rawValue, value, changesAt] }

  package init(columns row: inout RowReader) throws {
    let name = try row.text()
    self.init(try row.numbered(), name, value: try row.text(), changesAt: try row.optionalInstant())
  }

  package static func table(in tables: MemoryTables) -> MemoryTable<DeviceRow> { tables.deviceRows }
}

extension DeviceRow.Key: ColumnValue {
  /// The position of a row in its kind.
  package var stored: StoredValue { .text(name) }
}

extension Postback: StoredRow {
  package static let table = RowTable(
    name: "postbacks",
    columns: [
      "id INTEGER NOT NULL", "conversion INTEGER NOT NULL", "impression INTEGER NOT NULL", "framework TEXT NOT NULL",
      "sequence_index INTEGER NOT NULL", "did_win INTEGER NOT NULL", "recipient TEXT NOT NULL", "ad_network TEXT NOT NULL",
      "bundle TEXT NOT NULL", "url TEXT NOT NULL", "body TEXT NOT NULL", "due_at INTEGER NOT NULL", "state TEXT NOT NULL",
      "retry_at INTEGER", "attempts TEXT NOT NULL", "attempt_count INTEGER NOT NULL", "next_at INTEGER",
    ], key: ["id"], group: "state", position: "id", times: ["next_at", "id"])

  package var rowKey: Int64 { id }
  package var group: StoredValue? { state.rawValue.stored }
  package var time: Instant? { message.nextAttemptAt }
  package var times: [Instant?] { [dueAt, retryAt] }

  package var columns: [any ColumnValue] {
    [
      id, conversion, impression, framework.rawValue, sequenceIndex, didWin, recipient.rawValue, adNetworkIdentifier,
      bundleIdentifier, url, body, dueAt, state.rawValue, retryAt, AttemptText.joined(attempts), attemptCount, time,
    ]
  }

  package init(columns row: inout RowReader) throws {
    let id = try row.number()
    let (conversion, impression) = (try row.number(), try row.number())
    let framework: AdFramework = try row.named()
    let (sequenceIndex, didWin) = (Int(try row.integer(in: 0...2)), try row.flag())
    let recipient: Postback.Recipient = try row.named()
    let (adNetwork, bundle, url, body) = (try row.text(), try row.text(), try row.text(), try row.jsonText())
    let (dueAt, progress, attempts) = (try row.instant(), try row.progress(), try row.attempts())
    let message = OutgoingMessage(
      state: progress.state, retryAt: progress.retryAt, attempts: try row.count(), dueAt: dueAt)
    // Another time would hide the postback, or postbacks that are due after it.
    guard try row.optionalInstant() == message.nextAttemptAt else { throw row.corrupt() }
    self.init(
      id: id, conversion: conversion, impression: impression, framework: framework, sequenceIndex: sequenceIndex,
      didWin: didWin, recipient: recipient, adNetworkIdentifier: adNetwork, bundleIdentifier: bundle, url: url, body: body,
      message: message, attempts: attempts)
  }

  package static func table(in tables: MemoryTables) -> MemoryTable<Postback> { tables.postbacks }
}
