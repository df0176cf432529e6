import Testing

@testable import PCMDevTools

@Suite struct DevToolsAddressTests {
  @Test(
    "Loopback addresses are accepted",
    arguments: [
      ("http://127.0.0.1:9222", "127.0.0.1:9222"), ("http://127.8.9.10:1/", "127.8.9.10:1"),
      ("HTTP://LocalHost:9222", "localhost:9222"), ("http://[::1]:65535", "[::1]:65535"),
      ("http://[0:0:0:0:0:0:0:1]:9222", "[0:0:0:0:0:0:0:1]:9222"),
    ])
  func loopback(text: String, hostField: String) throws {
    #expect(try DevToolsAddress(text).hostField == hostField)
  }

  @Test(
    "Other addresses need an allowed host",
    arguments: [
      "http://10.0.0.1:9222", "http://192.168.1.2:9222", "http://chrome:9222", "http://127.0.0.1.example:9222",
      "http://[::2]:9222", "http://[::ffff:127.0.0.1]:9222", "http://localhost.example:9222", "http://0.0.0.0:9222",
      "http://2130706433:9222", "http://127.1:9222",
    ])
  func remote(text: String) {
    let error = #expect(throws: DevToolsError.self) { try DevToolsAddress(text) }
    #expect(error?.code == .notLoopback)
    #expect(error?.description.hasPrefix("devtools \"\(text)\"") == true)
    #expect(error?.description.contains("--devtools-host") == true)
  }

  @Test("An allowed host is accepted, and Chromium accepts the Host field")
  func allowed() throws {
    let address = try DevToolsAddress("http://Chrome:9222", allowedHosts: ["chrome"])
    #expect(address.connectHost == "chrome")
    #expect(address.hostField == "localhost:9222")
  }

  @Test(
    "The URL of the browser's WebSocket is used as given",
    arguments: [
      ("ws://127.0.0.1:9222/devtools/browser/5A", "/devtools/browser/5A", "127.0.0.1:9222"),
      ("ws://[::1]:9222/devtools/browser/5A", "/devtools/browser/5A", "[::1]:9222"),
      ("ws://chrome:9222/devtools/browser/5A", "/devtools/browser/5A", "localhost:9222"),
      ("ws://chrome:4444/session/ab/se/cdp", "/session/ab/se/cdp", "chrome:4444"),
      ("ws://chrome:3000/?token=5A", "/?token=5A", "chrome:3000"),
    ])
  func webSocket(text: String, path: String, hostField: String) throws {
    let address = try DevToolsAddress(text, allowedHosts: ["chrome"])
    #expect((address.path, address.hostField, address.url) == (path, hostField, text))
  }

  @Test func theAddressesOfOneBrowserAreTheSame() throws {
    let browser = try DevToolsAddress("http://127.0.0.1:9222").ofBrowser
    for text in ["http://localhost:9222/", "ws://127.0.0.1:9222/", "ws://127.0.0.1:9222/devtools/browser/5A"] {
      #expect(try DevToolsAddress(text).ofBrowser == browser, "\(text)")
    }
    let sessions = try ["a", "b"].map { try DevToolsAddress("ws://127.0.0.1:4444/session/\($0)/se/cdp").ofBrowser }
    #expect(sessions[0] != sessions[1])
  }

  @Test(
    "Other text is an error that names the field and the form",
    arguments: [
      "", "9222", "127.0.0.1:9222", "https://127.0.0.1:9222", "ws://127.0.0.1", "http://127.0.0.1", "http://127.0.0.1:",
      "http://127.0.0.1:0", "http://127.0.0.1:65536", "http://127.0.0.1:+9", "http://127.0.0.1:9222/json",
      "http://user@127.0.0.1:9222", "http://::1:9222", "http://[localhost]:9222", "http://:9222", "http://a b:9222",
      "http://127.0.0.1:9222\r\nX: y", "ws://127.0.0.1:9222/a\r\nX: y", "ws://127.0.0.1:9222/ä",
    ])
  func malformed(text: String) {
    let error = #expect(throws: DevToolsError.self) { try DevToolsAddress(text, field: "--devtools") }
    #expect(error?.code == .invalidAddress)
    #expect(error?.description.hasPrefix("--devtools ") == true)
    #expect(error?.description.contains("http://127.0.0.1:9222") == true)
  }
}
