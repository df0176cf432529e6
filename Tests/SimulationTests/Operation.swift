import PCMCore

/// One thing that happens to a browser or around it. A plain value, so that a sequence can be cut, printed and run again.
enum Operation: Hashable, Sendable {
  case click(ClickStep)
  case pixel(PixelStep)
  case advance(Interval)
  case toNextEvent
  case untilIdle
  case measurement(Bool)
  case privateBrowsing(Bool)
  case debugMode(Bool)
  /// Nil clears everything.
  case clear(String?)
  /// The service is stopped in good order and started again over the same store.
  case restart
  /// How endpoints answer from here on.
  case network(Weather)
  /// A write from here on does not go as usual.
  case storeFault(StoreFault)
  /// The process dies; it is started again over the store's data.
  case crash(CrashPoint)
  /// Another caller's action during the next sending: the report has left, its answer has not come.
  indirect case whileSending(Operation)
}

/// A click by one of the three ways. The number is the click's own in its sequence, so every report identifies its click.
struct ClickStep: Hashable, Sendable {
  enum Way: String, Hashable, Sendable {
    case link
    case openURL
    case embedded
  }

  var way: Way
  var id: UInt8
  var source: String
  var destination: String
  /// The web view's app of a link, or the app that opens; nil for a link in Safari.
  var app: String?
}

/// A request of a page that is redirected to the trigger path.
struct PixelStep: Hashable, Sendable {
  /// The hop that answers with the redirect.
  var hop: String
  /// Where it redirects to.
  var target: String
  var attributionSource: String?
  /// The page's site.
  var page: String
  /// Above 15 the grammar refuses it.
  var data: Int
  var priority: Int
  var app: String?

  var isReadable: Bool { data <= 15 }

  /// The click that it asks for, if the rules let it.
  var source: String { attributionSource ?? target }
}

enum Weather: String, Hashable, Sendable, CaseIterable {
  case fair
  /// Every second request is answered with 503.
  case flaky
  case serverError
  case redirecting
  case refusing
  /// The answer's head arrives, then the connection breaks.
  case breaking

  func isDelivered(request number: Int) -> Bool {
    switch self {
    case .fair: true
    case .flaky: number % 2 == 0
    case .serverError, .redirecting, .refusing, .breaking: false
    }
  }
}

/// The failures that the store contract allows. A write that throws has left nothing; a write that is committed without its
/// caller's knowledge is a crash.
struct StoreFault: Hashable, Sendable {
  enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Throws before the body has run.
    case refusedBefore
    /// Runs the body, takes everything back and throws.
    case refusedAfter
    /// Runs the body, takes everything back and runs it again, as after a neighbour's failure in one commit.
    case ranTwice
  }

  var kind: Kind
  /// How many writes from here on go well before it.
  var after: Int
}

enum CrashPoint: Hashable, Sendable {
  /// Before the commit of a write, after so many others.
  case beforeCommit(after: Int)
  /// After the commit of a write and before its answer.
  case afterCommit(after: Int)
  /// Within the next sending: its attempt is written, no byte has left.
  case beforeBytes
  /// Within the next sending: the report has left, its result is not written.
  case afterBytes
}

extension Operation: CustomStringConvertible {
  var description: String {
    switch self {
    case .click(let step): "\(step.way.rawValue) \(step.id): \(step.source) -> \(step.destination)\(app(step.app))"
    case .pixel(let step): step.description
    case .advance(let interval): "advance by \(interval.words)"
    case .toNextEvent: "advance to the next event"
    case .untilIdle: "advance until idle"
    case .measurement(let isOn): "measurement \(isOn ? "on" : "off")"
    case .privateBrowsing(let isOn): "private browsing \(isOn ? "on" : "off")"
    case .debugMode(let isOn): "debug mode \(isOn ? "on" : "off")"
    case .clear(let site): "clear \(site ?? "everything")"
    case .restart: "restart"
    case .network(let weather): "network \(weather.rawValue)"
    case .storeFault(let fault): "store fault \(fault.kind.rawValue) after \(fault.after) writes"
    case .crash(let point): "crash \(point)"
    case .whileSending(let operation): "while the next report is under way: \(operation)"
    }
  }
}

extension PixelStep: CustomStringConvertible {
  var description: String {
    let source = attributionSource.map { " attributionSource \($0)" } ?? ""
    let hop = hop == target ? "" : " by \(hop)"
    return "pixel \(data)/\(priority): \(target)\(hop)\(source) on \(page)\(SimulationTests.app(app))"
  }
}

private func app(_ identifier: String?) -> String { identifier.map { " in \($0)" } ?? "" }

extension Interval {
  /// Days, hours, minutes and so on, without zero parts.
  var words: String {
    let parts = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")] as [(Int64, String)]
    var (rest, words) = (milliseconds, [String]())
    for (size, unit) in parts where rest >= size {
      words.append("\(rest / size) \(unit)")
      rest %= size
    }
    return words.isEmpty ? "0" : words.joined(separator: " ")
  }
}
