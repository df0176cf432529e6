import HTTPTypes
import Hummingbird
import PCMBrowser
import PCMCore
import PCMPages
import PCMStore

extension ControlAPI {
  /// Adds the page of a browser as one file.
  func addTraceRoutes(to routes: inout RouteTable) {
    routes.onWorld("/trace", .get) { _, context in
      let browser = try await browser(context)
      let parts = try await traceParts(of: browser)
      return Response(
        text: TracePage.html(name: browser.record.name, parts: parts, compress: { Gzip.compress($0) }, hash: PageHash.sha256),
        mediaType: "text/html; charset=utf-8")
    }
  }

  /// Returns the parts of the page by their paths. The items are the ones to which the parts link, failures first.
  private func traceParts(of browser: Browser) async throws -> [(path: String, html: String)] {
    let history = try await histories.history(of: browser)
    let story = try await browser.storyView(history, isMessages: false, containing: "", most: Trace.mostRows).text
    let log = try await browser.traceLog().text
    let timeline = try await browser.timeline(history, in: nil, width: Trace.width).markup.text
    var parts = [
      ("summary", try await browser.summaryView().text), ("answer", try await browser.answer(history).markup.text),
      ("story", story),
      ("timeline", timeline), ("log", log), ("charts", try await browser.charts(width: Trace.width).text),
      ("apps", try await browser.appsView().text), ("cards", try await browser.cardsView().text),
      ("tracking", try await browser.trackingView().text), ("network", try await networkView(of: browser).text),
      ("scenario", try await traceScenario(of: browser).text),
    ]
    var size = parts.reduce(0) { $0 + $1.1.utf8.count }
    for subject in Trace.subjects(in: [story, log, timeline]) where size < Trace.mostBytes {
      // The log may have lost its events meanwhile.
      guard let item = try? await item(subject.name, of: browser, cut: subject.isWhole ? nil : \.cut).text else {
        continue
      }
      parts.append(("item?about=\(subject.name)", item))
      size += item.utf8.count
    }
    return parts
  }

  private func traceScenario(of browser: Browser) async throws -> Markup {
    let missing: Problem
    do {
      let text = try await scenario(of: browser, isJSON: false)
      return """
        <p class="soft">Repeats the calls with <code>pcm-browser run</code>, without real responses: its sites are simulated.</p>
        <pre>\(text)</pre>
        """
    } catch let problem as Problem {
      missing = problem
    } catch BrowserError.noHistory(let reason) {
      missing = Problem(reason)
    }
    return "<p class=\"soft\">No scenario: \(missing.detail).</p>"
  }
}

/// The limits of a trace.
private enum Trace {
  static let mostEvents: Int64 = 10_000
  static let mostRows = 10_000
  /// The size at which parts, before their compression, are no longer added.
  static let mostBytes = 33_554_432
  static let width = 1_200
  /// The number of the newest items that are shown whole.
  private static let wholeCount = 200

  /// Returns an item as it is shown: failures and the newest items whole, others with short texts.
  ///
  /// - Parameter position: The position from the newest item.
  static func shown(_ position: Int, _ item: JSON) -> JSON {
    let (state, kind) = (item["state"]?.string ?? "", item["kind"]?.string ?? "")
    let isFailure = ["failed", "dropped"].contains(state) || Self.failures.contains { kind.hasSuffix($0) }
    return position < wholeCount || isFailure ? item : item.cut
  }

  private static let failures = ["-failed", "-rejected", "-discarded", "-dropped"]

  /// Returns the subjects of the links in lists, each once: first the newest and the failures, which are shown whole.
  static func subjects(in lists: [String]) -> [(name: String, isWhole: Bool)] {
    let entries = lists.flatMap { $0.split(separator: "<li>").reversed() }
    var known: Set<Substring> = []
    func names(in entries: some Sequence<Substring>) -> [String] {
      var names: [String] = []
      for entry in entries {
        for part in entry.split(separator: "href=\"#why=", omittingEmptySubsequences: false).dropFirst() {
          let name = part.prefix { $0 != "\"" }
          if known.insert(name).inserted { names.append(String(name)) }
        }
      }
      return names
    }
    let whole = names(in: entries.prefix(wholeCount)) + names(in: entries.filter { $0.contains("badge bad") })
    return whole.map { ($0, true) } + names(in: entries).map { ($0, false) }
  }
}

extension Browser {
  /// The newest events, newest first.
  fileprivate func traceLog() async throws -> Markup {
    let logEnd = try await logEnd()
    let start = max(logEnd - Trace.mostEvents, 0)
    var (found, size, end) = ([JSON](), 0, logEnd)
    while end > start, size < Trace.mostBytes / 4 {
      let first = max(end - 1_000, start)
      let events = try await events(after: first, limit: Int(end - first)).filter { $0.sequence <= end }
      for event in events.reversed() {
        found.append(Trace.shown(found.count, event.json))
        size += event.size
      }
      end = first
    }
    return LogView.markup(found, omitted: end, isFiltered: false)
  }
}

extension JSON {
  /// The maximum size of a text in bytes.
  private static var mostText: Int { 1_024 }

  /// The value with long texts cut and marked.
  fileprivate var cut: JSON {
    switch self {
    case .string(let text) where text.utf8.count > Self.mostText:
      .string(String(decoding: text.utf8.prefix(Self.mostText), as: UTF8.self) + "… (cut: 1,024 of \(text.utf8.count) bytes)")
    case .array(let items): .array(items.map(\.cut))
    case .object(let members): .object(members.map { Member($0.name, $0.value.cut) })
    case .verbatim(let text) where text.utf8.count > Self.mostText:
      JSON(parsing: Array(text.utf8), keepingNumbers: true)?.cut ?? JSON.string(text).cut
    default: self
    }
  }
}
