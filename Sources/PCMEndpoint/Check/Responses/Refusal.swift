import PCMCore
import PCMNetwork

/// The cause of a refused report or postback: the first row of the table with evidence in the response.
struct Refusal: Hashable, Sendable {
  let cause: Cause
  /// The header or text that shows the cause, for use in a sentence; nil if only the status shows it.
  let sign: String?

  /// A cause of a refusal, with the remedy that a check prints.
  struct Cause: Hashable, Sendable {
    /// The remedy. Names in braces are placeholders for words about reports or postbacks, and for values of the response.
    let fix: String
    /// The remedy for postbacks, if it is different.
    let postbackFix: String?

    init(_ fix: String, postbacks: String? = nil) { (self.fix, postbackFix) = (fix, postbacks) }
  }

  /// - Returns: nil if the response shows no cause.
  init?(_ exchange: ProbeExchange) {
    self.init(exchange) { row in row.statuses.contains { $0.contains(exchange.httpStatus ?? 0) } }
  }

  /// Reads the cause from the text of a response with a 2xx status. The status is no evidence.
  init?(statedBy exchange: ProbeExchange) { self.init(exchange) { $0.place == .text } }

  private init?(_ exchange: ProbeExchange, isMeant: (Row) -> Bool) {
    let response = ResponseText(exchange)
    for row in Self.table where isMeant(row) {
      guard let shown = response.shown(row) else { continue }
      (cause, sign) = (row.cause, shown.isEmpty ? nil : shown)
      return
    }
    return nil
  }
}

extension Refusal {
  typealias Statuses = [ClosedRange<Int>]

  /// A row of the table of evidence.
  struct Row: Sendable {
    let cause: Cause
    let statuses: Statuses
    let place: Place
    let phrases: [String]

    /// - Parameter phrases: Phrases in lower case, separated by bars. A leading or trailing space matches a word boundary.
    init(_ cause: Cause, _ statuses: Statuses, _ place: Place = .status, _ phrases: String = "") {
      (self.cause, self.statuses, self.place) = (cause, statuses, place)
      self.phrases = phrases.split(separator: "|").map(String.init)
    }
  }

  /// The part of a response that contains a phrase.
  enum Place: Sendable {
    /// A header, or `name: part` for a part of its value.
    case header
    /// The markup of a page.
    case markup
    case title
    /// The title, the first paragraph, or the beginning of a body that is not a page.
    case text
    /// The target of a redirect.
    case location
    case status
  }
}

/// The texts of a response that can show the cause of a refusal.
private struct ResponseText {
  private let exchange: ProbeExchange
  private let isPage: Bool
  /// The visible texts in the order of their weight: the title and the first paragraph, or the beginning of the body.
  private let parts: [(name: String, text: String, searched: String)]

  init(_ exchange: ProbeExchange) {
    let page = PageText(exchange)
    self.exchange = exchange
    isPage = page != nil
    let body = String(decoding: exchange.body.prefix(2_000), as: UTF8.self)
    let texts = page.map { [("title", $0.title), ("text", $0.paragraph)] } ?? [("body", body)]
    parts = texts.map { name, text in
      let (lower, words) = (text.lowercased(), text.lowercased().split { !$0.isLetter && !$0.isNumber })
      return (name, text, lower + "\n " + words.joined(separator: " ") + " ")
    }
  }

  /// Returns the evidence of a row, which is empty for a status; nil if the response does not contain it.
  func shown(_ row: Refusal.Row) -> String? {
    switch row.place {
    case .header: return row.phrases.lazy.compactMap(header).first
    case .markup:
      let source = isPage ? String(decoding: exchange.body.prefix(32_768), as: UTF8.self).lowercased() : ""
      return row.phrases.first(where: source.contains).map { mark in parts.first { !$0.text.isEmpty }.map(Self.quoted) ?? mark }
    case .title, .text:
      let read = row.place == .text ? parts[...] : isPage ? parts.prefix(1) : []
      return read.first { row.phrases.contains(where: $0.searched.contains) }.map(Self.quoted)
    case .location:
      let location = (exchange.location ?? "").lowercased() + "/"
      return row.phrases.contains(where: location.contains) ? "" : nil
    case .status: return ""
    }
  }

  /// - Parameter phrase: A name, or `name: part`.
  private func header(_ phrase: String) -> String? {
    let parts = phrase.split(separator: ": ", maxSplits: 1)
    guard let value = exchange.header(String(parts[0])), parts.count < 2 || value.lowercased().contains(parts[1]) else {
      return nil
    }
    return "\(parts[0]): \(Redaction.shown(value))"
  }

  private static func quoted(_ part: (name: String, text: String, searched: String)) -> String {
    "the \(part.name) \"\(Redaction.line(part.text, limit: 160))\""
  }
}
