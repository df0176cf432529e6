import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let deviceRowChecks = [
    Check("a row of the device comes back as it was, byte for byte") { store in
      let (browser, other) = (try await store.newBrowser(), try await store.newBrowser("other"))
      let rows = [
        DeviceRow(.device, "", value: "{}"),
        DeviceRow(.adNetwork, "'; DROP TABLE device_rows; --", value: #"{ "a" : "\u0000 ä 🧾",\#n"b":[] }"#, changesAt: .latest),
        DeviceRow(.installedApp, "%_\"\\\u{1E}\u{7F}\n\u{FEFF}", value: #"{"e\#u{301}":"\#u{E9}"}"#, changesAt: .earliest),
      ]
      try await store.write(browser) { writer in for row in rows { try writer.save(row) } }
      for row in rows {
        let found = try #require(try await store.seen(browser) { try $0.row(DeviceRow.self, row.key) })
        #expect(found == row)
        #expect(Array(found.key.name.utf8) == Array(row.key.name.utf8))
        #expect(Array(found.value.utf8) == Array(row.value.utf8))
        #expect(try await store.seen(other) { try $0.row(DeviceRow.self, row.key) } == nil)
      }
      #expect(try await store.seen(browser) { try $0.row(DeviceRow.self, DeviceRow.Key(.view, "")) } == nil)
    },
    Check("a row of the device replaces the one with its key, in every order") { store in
      let browser = try await store.newBrowser()
      let old = Sample.deviceRow("one", changesAt: Sample.noon)
      for new in [Sample.deviceRow("one", value: "{}", changesAt: Sample.noon + .days(1)), Sample.deviceRow("one")] {
        try await store.write(browser) { rows in
          try rows.save(DeviceRow(.view, "one", value: "{}"))
          try rows.save(old)
          try rows.save(new)
        }
        #expect(try await store.seen(browser) { try $0.deviceRows(.impression, after: "", limit: 9) } == [new])
        #expect(try await store.seen(browser) { try $0.deviceRows(.view, after: "", limit: 9).count } == 1)
        let earliest = try await store.seen(browser) { try $0.rows(DeviceRow.Query.earliest(limit: 9)) }
        #expect(earliest == (new.changesAt == nil ? [] : [new]))
      }
    },
    Check("a removed row of the device is in no list, and a removal that was rolled back changed nothing") { store in
      let browser = try await store.newBrowser()
      let rows = [Sample.deviceRow("one", changesAt: Sample.noon), Sample.deviceRow("two")]
      try await store.write(browser) { writer in for row in rows { try writer.save(row) } }
      await #expect(throws: Refusal()) {
        try await store.write(browser) { writer in
          for row in rows { try writer.remove(DeviceRow.self, row.key) }
          throw Refusal()
        }
      }
      #expect(try await store.seen(browser) { try $0.deviceRows(.impression, after: "", limit: 9) } == rows)
      #expect(try await store.seen(browser) { try $0.rows(DeviceRow.Query.earliest(limit: 9)) } == [rows[0]])
      try await store.write(browser) { writer in
        try writer.remove(DeviceRow.self, rows[0].key)
        try writer.remove(DeviceRow.self, DeviceRow.Key(.view, "two"))
      }
      #expect(try await store.seen(browser) { try $0.row(DeviceRow.self, rows[0].key) } == nil)
      #expect(try await store.seen(browser) { try $0.deviceRows(.impression, after: "", limit: 9) } == [rows[1]])
      #expect(try await store.seen(browser) { try $0.rows(DeviceRow.Query.earliest(limit: 9)) }.isEmpty)
    },
    Check("rows of the device are listed by the bytes of their names from a cursor, of one kind") { store in
      let browser = try await store.newBrowser()
      let names = ["-", "1", "A", "Z", "_", "a", "ab", "z"]
      try await store.write(browser) { rows in
        for name in names.reversed() {
          for kind in [DeviceRow.Kind.view, .impression, .adNetwork] { try rows.save(DeviceRow(kind, name, value: "{}")) }
        }
        try rows.save(DeviceRow(.impression, "", value: "{}"))
      }
      for (cursor, limit, expected) in [
        ("", 0, []), ("", -1, []), ("", 3, names[..<3]), ("", .max, names[...]), ("A", 9, names[3...]), ("a", 1, names[6..<7]),
        ("aa", 2, names[6..<8]), ("z", 9, []),
      ] as [(String, Int, ArraySlice<String>)] {
        let found = try await store.seen(browser) { try Self.names($0, .impression, after: cursor, limit: limit) }
        #expect(found == expected.map { Array($0.utf8) }, "after \(cursor), at most \(limit)")
      }
      #expect(try await store.seen(browser) { try $0.deviceRows(.installedApp, after: "", limit: 9) }.isEmpty)
    },
    Check("the rows of the device that change first come by that time, then by kind and the bytes of the name") { store in
      let browser = try await store.newBrowser()
      let (early, late) = (Sample.noon, Sample.noon + .days(60))
      let expected = [
        DeviceRow(.device, "", value: "{}", changesAt: early), DeviceRow(.impression, "Z", value: "{}", changesAt: early),
        DeviceRow(.impression, "a", value: "{}", changesAt: early), DeviceRow(.view, "A", value: "{}", changesAt: early),
        DeviceRow(.adNetwork, "A", value: "{}", changesAt: late),
      ]
      try await store.write(browser) { rows in
        for row in expected.reversed() { try rows.save(row) }
        try rows.save(Sample.deviceRow("never"))
      }
      for limit in [0, 1, 3, 5, 9, -1] {
        let found = try await store.seen(browser) { try $0.rows(DeviceRow.Query.earliest(limit: limit)) }
        #expect(found == Array(expected.prefix(max(0, limit))), "at most \(limit)")
      }
    },
  ]

  /// Returns the names of the rows of a kind in bytes.
  private static func names(
    _ rows: any BrowserReader, _ kind: DeviceRow.Kind, after name: String = "", limit: Int = 99
  ) throws -> [[UInt8]] {
    try rows.deviceRows(kind, after: name, limit: limit).map { Array($0.key.name.utf8) }
  }
}
