import HTTPTypes
import PCMCore

/// A member of a request, or a part of its path.
struct TextField: Sendable {
  let name: String
  let browser: Target
  /// Returns the request with the text. Its path can contain `{number}` for the number of the text, and `{impression}` for an
  /// ad that the device displays.
  let request: @Sendable (_ root: String, _ text: String) throws -> Request
  /// Where an accepted text is read again: a resource whose JSON contains it as a string.
  var echo: String?
  /// Texts that this field accepts, for a field with a narrow format.
  var more: [String] = []

  struct Request: Sendable {
    let method: HTTPRequest.Method
    let path: String
    let body: String
  }

  /// The browser that the request is sent to.
  enum Target: Sendable {
    /// A name that the request creates.
    case new
    /// A generated name that the request creates.
    case generated
    /// A separate browser for each text, because each text replaces the previous text.
    case separate
    /// The same browser for all texts.
    case shared
    /// The same browser for all texts, as a device with ad networks, apps, and a re-engagement.
    case device
  }

  /// Returns the path under which the request is sent.
  func root(_ browser: String) -> String {
    switch self.browser {
    case .generated: "/v1/browsers"
    case .device: BrowserName(browser).devicePath
    case .new, .separate, .shared: BrowserName(browser).path
    }
  }

  /// A member of a JSON body.
  static func member(
    _ method: HTTPRequest.Method, _ name: String, _ path: String, in browser: Target, echo: String? = nil, more: [String] = [],
    _ body: @escaping @Sendable (JSON) throws -> JSON
  ) -> TextField {
    TextField(
      name: "\(method) \(path) \(name)", browser: browser,
      request: { root, text in
        Request(method: method, path: root + path, body: try body(.string(text)).text)
      }, echo: echo, more: more)
  }

  /// A part of a path.
  static func path(
    _ name: String, _ body: String, in browser: Target = .separate, echo: String,
    _ path: @escaping @Sendable (String) -> String
  ) -> TextField {
    TextField(
      name: name, browser: browser,
      request: { root, text in
        Request(method: .put, path: path(root) + PercentEncoding.component.encode(text), body: body)
      }, echo: echo)
  }

  /// Members of a JSON body, each replaced or added in one request.
  ///
  /// - Parameters:
  ///   - forms: The values of the member.
  ///   - body: Returns the other members.
  static func replacing(
    _ names: [String], _ path: String, in browser: Target, as forms: [Form], more: [String] = [],
    _ body: @escaping @Sendable () throws -> JSON
  ) -> [TextField] {
    names.flatMap { name in
      forms.map { form in
        TextField.member(.post, "\(form.prefix)\(name)", path, in: browser, more: more) { text in
          let others = try body().members.filter { $0.name != name }
          return .object(others + [JSON.Member(name, form.value(text))])
        }
      }
    }
  }

  /// A value that contains a text.
  struct Form: Sendable {
    let prefix: String
    let suffix: String

    static let text = Form(prefix: "", suffix: "")
    /// The text alone, and as the path and the user of a URL.
    static let urls = [
      text, Form(prefix: "https://shop.example/", suffix: ""), Form(prefix: "https://", suffix: "@shop.example/"),
    ]

    func value(_ text: JSON) -> JSON { .string(prefix + (text.string ?? "") + suffix) }
  }
}
