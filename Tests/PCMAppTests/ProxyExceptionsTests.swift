import Testing

@testable import PCMApp

/// The hosts that the command of `exec` calls without a proxy.
@Suite struct ProxyExceptionsTests {
  private static let loopback = "127.0.0.1,localhost,::1,[::1]"

  @Test(
    "Loopback is added to the exceptions of a proxy",
    arguments: [
      ([:], nil, nil), (["HTTP_PROXY": ""], nil, nil), (["NO_PROXY": "a.example"], nil, nil),
      (["HTTP_PROXY": "http://p"], loopback, loopback), (["all_proxy": "socks5://p"], loopback, loopback),
      (["https_proxy": "p", "NO_PROXY": "a.example"], "a.example,\(loopback)", "a.example,\(loopback)"),
      (["http_proxy": "p", "NO_PROXY": "a", "no_proxy": "b, c"], "a,\(loopback)", "b, c,\(loopback)"),
      (["http_proxy": "p", "NO_PROXY": "LOCALHOST,::1 127.0.0.1", "no_proxy": ""], "LOCALHOST,::1 127.0.0.1,[::1]", nil),
      (["http_proxy": "p", "no_proxy": "*"], "*", "*"),
    ] as [([String: String], String?, String?)])
  func additions(_ environment: [String: String], _ upper: String?, _ lower: String?) {
    let variables = ProxyExceptions.variables(in: environment, host: "127.0.0.1")
    #expect(variables["NO_PROXY"].flatMap(\.self) == upper)
    #expect(variables["no_proxy"].flatMap(\.self) == lower ?? upper)
  }

  @Test func theHostOfTheServiceIsAnExceptionToo() {
    let variables = ProxyExceptions.variables(in: ["HTTP_PROXY": "http://p"], host: "192.0.2.1")
    #expect(variables["NO_PROXY"] == "\(Self.loopback),192.0.2.1")
  }
}
