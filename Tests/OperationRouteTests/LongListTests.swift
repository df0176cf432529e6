import HTTPSupport
import HTTPTypes
import PCMCore
import PCMStore
import Testing

/// Lists whose items are large.
@Suite(.timeLimit(.minutes(10))) struct LongListTests {
  /// The size of the largest item and of the other members of a page.
  private static let largestItem = 70_000

  @Test("a page ends with the item that reaches a megabyte, and the pages have all items", arguments: LongList.allCases)
  func pages(_ list: LongList) async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      let count = try await list.fill(api, store)
      let pages = try await Self.pages(of: list.rawValue, api)
      #expect(pages.count > 1)
      for page in pages { #expect(page.bytes.count < PageSize.mostBytes + Self.largestItem) }
      for page in pages.dropLast() { #expect(page.bytes.count >= PageSize.mostBytes) }
      let items = try pages.map { try $0.member("items", as: [[String: Any]].self) }
      #expect(items.allSatisfy { $0.count < 1_000 }, "\(items.map(\.count))")
      let names = try items.joined().map { "\(try #require($0[list.key]))" }
      #expect(names.count == count && Set(names).count == count, "\(names.count) of \(count)")
    }
  }

  private static func pages(of path: String, _ api: API) async throws -> [API.Answer] {
    var (pages, cursor): ([API.Answer], String) = ([], "")
    while true {
      let page = try await api.call(.get, path + cursor)
      pages.append(page)
      guard let next = try page.object["next"] as? String else { return pages }
      cursor = "&cursor=\(next)"
    }
  }

  @Test("a page of a thousand ads of the maximum size has less than a megabyte")
  func ads() async throws {
    try await API.test { api in
      _ = try await api.prepareDevice()
      let page = try await api.call(.get, "/v1/devices/test/impressions?limit=1000")
      #expect(try page.member("items", as: [[String: Any]].self).count == 1)
      // Of the members of an ad, only the two identifiers, the numbers, and the words of choices can be longer.
      let largest = page.bytes.count + BundleIdentifier.maximumLength + AdNetworkIdentifier.maximumLength + 100
      #expect(largest * 1_000 < PageSize.mostBytes, "\(largest)")
    }
  }
}
