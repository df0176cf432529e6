import PCMNetwork
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Environment variables")
struct EnvironmentTests {
  @Test("Proxies and authorities of the environment are ignored")
  func ignored() async {
    await #expect(processExitsWith: .success) {
      // The discard port: a send by way of this proxy could not succeed.
      for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy"] {
        setenv(name, "http://127.0.0.1:9", 1)
      }
      setenv("SSL_CERT_FILE", "/nowhere", 1)
      setenv("CURL_CA_BUNDLE", "/nowhere", 1)
      try await Stage.run { stage in
        let exchange = await stage.send()
        try #require(exchange.httpStatus == 200)
      }
    }
  }
}
