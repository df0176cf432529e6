import PCMCore
import PCMNetwork

/// The text of an HTML page: its title and its first paragraph, without markup.
struct PageText: Hashable, Sendable {
  let title: String
  /// The first paragraph. Without a paragraph, the beginning of the page's text after its title.
  let paragraph: String

  /// The maximum number of characters of each text.
  private static let limit = 300
  /// The maximum number of bytes to read from a page.
  private static let readBytes = 65_536

  /// Reads a response.
  ///
  /// - Returns: nil for a response that is not an HTML page. A media type alone is not sufficient, because many servers label
  ///   every response as HTML.
  init?(_ exchange: ProbeExchange) {
    let markup = Markup(String(decoding: exchange.body.prefix(Self.readBytes), as: UTF8.self))
    switch exchange.mediaType {
    case "text/html", "application/xhtml+xml":
      guard markup.hasElements, JSONResponse.object(of: exchange) == nil else { return nil }
    case "", "text/plain", "application/octet-stream": guard markup.isDocument else { return nil }
    default: return nil
    }
    title = Self.line(markup.title)
    let text = Self.line(markup.paragraph.isEmpty ? markup.text : markup.paragraph)
    // A heading often repeats the title.
    paragraph = text.hasPrefix(title) ? String(text.dropFirst(title.count).drop { $0 == " " }) : text
  }

  /// The title and the paragraph, each on its own line.
  var lines: String { [title, paragraph].filter { !$0.isEmpty }.joined(separator: "\n") }

  /// Returns the text with single spaces and without character references, up to the limit.
  private static func line(_ text: String) -> String {
    let words = (HTMLEscapes.removed(from: text) ?? text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.count > limit ? String(words.prefix(limit)) + "…" : words
  }
}

extension ProbeExchange {
  /// The media type in lower case, without parameters; empty if there is none.
  var mediaType: String { (exchange.contentType ?? "").prefix { $0 != ";" && $0 != " " }.lowercased() }
}

/// The text of a page's markup, parsed leniently.
private struct Markup {
  private(set) var title = ""
  /// The first paragraph with text.
  private(set) var paragraph = ""
  /// The text of the whole page without its title.
  private(set) var text = ""
  private(set) var hasElements = false
  private var isTitle = false
  private var isParagraph = false

  /// Whether the text begins like an HTML document, for responses with another media type.
  let isDocument: Bool

  init(_ source: String) {
    let start = source.drop(while: \.isWhitespace).prefix(64).lowercased()
    isDocument = ["<!doctype html", "<html"].contains { start.hasPrefix($0) }
    var (rest, text) = (source[...], "")
    while let open = rest.firstIndex(of: "<") {
      text += rest[..<open]
      rest = rest[rest.index(after: open)...]
      guard !rest.hasPrefix("!--") else {
        rest = rest.firstRange(of: "-->").map { rest[$0.upperBound...] } ?? ""
        continue
      }
      guard let first = rest.first, first.isLetter || "/!?".contains(first) else {
        text += "<"
        continue
      }
      let name = rest.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
      rest = rest.firstIndex(of: ">").map { rest[rest.index(after: $0)...] } ?? ""
      guard !name.isEmpty else { continue }
      hasElements = true
      take(text, before: first == "/" ? "/" + name : name)
      text = ""
      // The content of these elements is not text.
      if first != "/", ["script", "style", "svg", "template"].contains(name) { rest = Self.afterContent(of: name, in: rest) }
    }
    take(text + rest, before: "")
  }

  /// Adds a text, and the tag after it: `p` or `/p`.
  private mutating func take(_ text: String, before tag: String) {
    if !text.allSatisfy(\.isWhitespace) {
      if isTitle { title += text + " " } else { self.text += text + " " }
      if isParagraph { paragraph += text + " " }
    }
    switch tag {
    case "title": isTitle = title.isEmpty
    case "/title": isTitle = false
    case "/p": isParagraph = false
    // The beginning of a block also ends a paragraph whose end is omitted.
    case "p", "div", "ul", "ol", "hr", "form", "table", "pre": isParagraph = (isParagraph || tag == "p") && paragraph.isEmpty
    default: break
    }
  }

  /// Returns the text from an element's end tag on. The case of the tag is ignored.
  private static func afterContent(of name: String, in text: Substring) -> Substring {
    var rest = text
    while let end = rest.firstRange(of: "</") {
      if rest[end.upperBound...].prefix(name.count).lowercased() == name { return rest[end.lowerBound...] }
      rest = rest[end.upperBound...]
    }
    return ""
  }
}
