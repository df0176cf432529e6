import PCMCore
import PCMDevTools

/// The first tab of a Chromium, as a user has it: pages that open, and clicks that the browser trusts.
final class ChromiumPage {
  private let connection: DevToolsConnection
  private var answers: AsyncStream<Answer>.Iterator
  private var session: String?

  private struct Answer {
    let id: Int64
    /// Nil when the browser refused the command.
    let result: JSON?
  }

  /// Connects to a browser and performs work with its first tab.
  static func with(
    _ devtools: String, _ body: @escaping @Sendable (ChromiumPage) async throws -> Void
  ) async throws {
    let address = try DevToolsAddress(devtools)
    try await DevToolsConnection.run(to: address, drawing: SystemChance.bytes) { connection in
      let (answers, arrived) = AsyncStream.makeStream(of: Answer.self)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          defer { arrived.finish() }
          try await connection.receive { message in
            if case .answer(let id, let result) = message { arrived.yield(Answer(id: id, result: result)) }
          }
        }
        let page = ChromiumPage(connection, answers.makeAsyncIterator())
        try await page.attach()
        try await body(page)
        group.cancelAll()
      }
    }
  }

  private init(_ connection: DevToolsConnection, _ answers: AsyncStream<Answer>.Iterator) {
    self.connection = connection
    self.answers = answers
  }

  private func attach() async throws {
    let targets = try await perform("Target.getTargets")?["targetInfos"]?.items ?? []
    guard let page = targets.first(where: { $0["type"]?.string == "page" })?["targetId"]?.string else {
      throw StartError(description: "Chromium has no tab")
    }
    session = try await perform("Target.attachToTarget", ["targetId": .string(page), "flatten": .bool(true)])?["sessionId"]?
      .string
  }

  /// Returns the result of a command; nil when the browser refused it.
  private func perform(_ method: String, _ params: JSON = [:]) async throws -> JSON? {
    let id = try connection.send(DevToolsCommand(method, params, session: session))
    while let answer = await answers.next(isolation: #isolation) {
      if answer.id == id { return answer.result }
    }
    throw StartError(description: "Chromium ended before it answered \(method)")
  }

  func open(_ url: String) async throws { _ = try await perform("Page.navigate", ["url": .string(url)]) }

  /// Presses and releases the mouse button on an element, and returns the URL of the page, once it is loaded.
  ///
  /// - Parameter selector: The selector of the element, which is visible in the window.
  @discardableResult func click(_ selector: String) async throws -> String {
    let target = try await loaded(selector)
    for type in ["mousePressed", "mouseReleased"] {
      _ = try await perform(
        "Input.dispatchMouseEvent",
        [
          "type": .string(type), "x": target["x"] ?? 0, "y": target["y"] ?? 0, "button": "left", "clickCount": 1,
        ])
    }
    return target.text("url")
  }

  /// Waits until the page with an element is loaded. Returns its URL and the center of the element.
  ///
  /// - Parameter selector: A selector without quotation marks.
  func loaded(_ selector: String) async throws -> JSON {
    let script = """
      new Promise((resolve) => {
        const look = () => {
          const element = document.querySelector("\(selector)");
          if (!element || document.readyState !== "complete") return void setTimeout(look, 20);
          const box = element.getBoundingClientRect();
          const [x, y] = [box.x + box.width / 2, box.y + box.height / 2].map(Math.round);
          resolve({ url: location.href, x, y });
        };
        setTimeout(() => resolve(null), 10000);
        look();
      })
      """
    // A script ends without a result when its page is left.
    for _ in 1...20 {
      let result = try await perform(
        "Runtime.evaluate", ["expression": .string(script), "awaitPromise": .bool(true), "returnByValue": .bool(true)])?[
          "result"]
      if result?["subtype"]?.string == "null" { break }
      if let value = result?["value"] { return value }
    }
    throw StartError(description: "no page with \(selector) was loaded in Chromium")
  }
}
