package import PCMCore

/// A browser in a list.
package struct ListedBrowser: Hashable, Sendable {
  package let record: BrowserRecord
  package let upkeep: BrowserUpkeep
}

/// A part of the list of browsers, in the order of the bytes of their names.
package struct BrowserListPart: Hashable, Sendable {
  /// The readable browsers of the part.
  package var browsers: [ListedBrowser]
  /// The last name of the part; nil when no browser follows.
  package var last: String?

  package init(browsers: [ListedBrowser] = [], last: String? = nil) {
    (self.browsers, self.last) = (browsers, last)
  }
}

extension BrowserListPart {
  /// Creates a part from up to `limit` rows. A row without a browser is unreadable.
  package init(_ rows: [(name: String, browser: ListedBrowser?)], limit: Int) {
    self.init(browsers: rows.compactMap(\.browser), last: rows.count < limit ? nil : rows.last?.name)
  }
}

extension Store {
  /// Lists by reading one browser after the other.
  package func browsers(after name: String, limit: Int) async throws -> BrowserListPart {
    let name = BrowserName(name)
    let following = try await browsers().filter { name < BrowserName($0.name) }
    let records = following.sorted { BrowserName($0.name) < BrowserName($1.name) }.prefix(limit)
    var rows: [(name: String, browser: ListedBrowser?)] = []
    for record in records {
      do {
        let upkeep = try await read(record.id) { try $0.state().upkeep }
        rows.append((record.name, ListedBrowser(record: record, upkeep: upkeep)))
      } catch StoreError.unknownBrowser {
        // It was deleted in the meantime.
        rows.append((record.name, nil))
      }
    }
    return BrowserListPart(rows, limit: limit)
  }

  /// Returns the first readable browsers after a name that have all of the labels.
  package func browsers(after name: String, labels: [Label], limit: Int) async throws -> [ListedBrowser] {
    // Few of the browsers of a large store may have the labels.
    let step = labels.isEmpty ? limit : max(limit, 1_000)
    var (found, next): ([ListedBrowser], String?) = ([], name)
    while found.count < limit, let name = next {
      let page = try await browsers(after: name, limit: step)
      found += page.browsers.filter { $0.upkeep.labels.containsAll(labels) }
      next = page.last
    }
    return Array(found.prefix(limit))
  }
}
