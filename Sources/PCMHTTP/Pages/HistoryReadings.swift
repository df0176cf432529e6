import PCMBrowser
import PCMPages
import PCMStore

/// Recent histories of browsers. All parts of a page, and all pages of a browser, share a history until the browser's log grows.
actor HistoryReadings {
  private struct Reading {
    let incarnation: String
    let logEnd: Int64
    let history: Task<BrowserHistory, any Error>
  }

  /// The maximum number of stored histories. Each contains at most the items that a page shows.
  private static let most = 2

  private var readings: [Reading] = []

  func history(of browser: Browser) async throws -> BrowserHistory {
    let (incarnation, logEnd) = (browser.record.incarnation, try await browser.logEnd())
    if let known = readings.first(where: { $0.incarnation == incarnation && $0.logEnd == logEnd }) {
      return try await known.history.value
    }
    let reading = Reading(incarnation: incarnation, logEnd: logEnd, history: Task { try await browser.shownHistory() })
    readings = [reading] + readings.filter { $0.incarnation != incarnation }.prefix(Self.most - 1)
    do {
      return try await reading.history.value
    } catch {
      readings.removeAll { $0.incarnation == incarnation && $0.logEnd == logEnd }
      throw error
    }
  }
}
