import PCMCurl
import PCMNetwork
import Testing

@Suite("The form of route entries")
struct RouteEntryTests {
  @Test(
    "Entries that curl parses as intended are accepted",
    arguments: [
      (.connectTo, "news.example:443:127.0.0.1:8443"), (.connectTo, "::127.0.0.1:8443"), (.connectTo, ":443:localhost:"),
      (.connectTo, ":::"), (.connectTo, "NEWS.example::[::1]:8443"), (.connectTo, "[2001:db8::1]:443:a_b.example.:1"),
      (.connectTo, "::[fe80::1%eth0]:8443"), (.connectTo, "10.0.0.1:1:xn--bcher-kva.example:65535"),
      (.resolve, "news.example:443:127.0.0.1"), (.resolve, "+news.example:443:127.0.0.1,::1,[::1]"),
      (.resolve, "*:443:127.0.0.1"), (.resolve, "-news.example:443"), (.resolve, "-*:443"), (.resolve, "a:1:2001:db8::1"),
      (.forwardTo, "news.example=http://127.0.0.1:8000"), (.forwardTo, "http://localhost:8000"), (.forwardTo, "http://[::1]:1"),
      (.forwardTo, "[::1]=http://web"),
    ] as [(RouteEntry, String)])
  func taken(_ kind: RouteEntry, _ entry: String) {
    #expect(throws: Never.self, "\(entry)") { try kind.check(entry) }
  }

  @Test(
    "Other entries are rejected with the invalid part",
    arguments: [
      (.connectTo, "bogus", nil), (.connectTo, "", nil), (.connectTo, "news.example:443:127.0.0.1", nil),
      (.connectTo, "news.example:127.0.0.1:8443", nil), (.connectTo, "a:1:b:2:c", nil), (.connectTo, ":::1:8443", nil),
      (.connectTo, "news.example:https:127.0.0.1:8443", "PORT1"), (.connectTo, "news.example:443:127.0.0.1:0", "PORT2"),
      (.connectTo, "a:1:b:65536", "PORT2"), (.connectTo, "a:+1:b:1", "PORT1"),
      (.connectTo, "a:99999999999999999999:b:1", "PORT1"),
      (.connectTo, "*:443:127.0.0.1:8443", "An empty HOST1"), (.connectTo, "https://news.example:443:127.0.0.1:8443", "scheme"),
      (.connectTo, " news.example:443:127.0.0.1:8443", "HOST1"), (.connectTo, "bücher.example:443:127.0.0.1:8443", "HOST1"),
      (.connectTo, "news.example.:443:127.0.0.1:8443", "HOST1"), (.connectTo, "[::g]:443:b:1", "HOST1"),
      (.connectTo, "[::1:443:b:1", nil), (.connectTo, "a:1:b/c:1", "HOST2"), (.connectTo, "-a:1:b:1", "HOST1"),
      (.resolve, "bogus", nil), (.resolve, "", nil), (.resolve, "news.example:443", nil),
      (.resolve, "news.example:443:", "ADDRESS"),
      (.resolve, "news.example:443:localhost", "ADDRESS"), (.resolve, "news.example:443:127.0.0.1:8443", "ADDRESS"),
      (.resolve, "news.example:443:127.0.0.1,", "ADDRESS"), (.resolve, "news.example:443:256.0.0.1", "ADDRESS"),
      (.resolve, "news.example:443:[127.0.0.1]", "ADDRESS"), (.resolve, "news.example:x:127.0.0.1", "PORT"),
      (.resolve, "news.example:0:127.0.0.1", "PORT"), (.resolve, ":443:127.0.0.1", "HOST"),
      (.resolve, "[::1]:443:127.0.0.1", "HOST"),
      (.resolve, "-news.example", nil), (.resolve, "-news.example:443:127.0.0.1", nil), (.resolve, "--insecure", nil),
      (.resolve, "https://news.example:443:127.0.0.1", "scheme"),
      (.forwardTo, "bogus", "http://"), (.forwardTo, "", "http://"), (.forwardTo, "news.example=127.0.0.1:8000", "http://"),
      (.forwardTo, "news.example=https://127.0.0.1:8443", "--connect-to"), (.forwardTo, "https://127.0.0.1", "--connect-to"),
      (.forwardTo, "https://news.example=http://127.0.0.1:8000", "HOST without a scheme"),
      (.forwardTo, "=http://127.0.0.1:8000", "HOST="), (.forwardTo, "*=http://127.0.0.1", "HOST="),
      (.forwardTo, "news.example:443=http://127.0.0.1", "HOST="), (.forwardTo, "news.example=http://127.0.0.1/", "a path"),
      (.forwardTo, "http://127.0.0.1:8000/reports?a", "a path"), (.forwardTo, "http://", "ADDRESS"),
      (.forwardTo, "http://::1", "ADDRESS"), (.forwardTo, "http://u:p@a.example", "PORT"), (.forwardTo, "http://a:x", "PORT"),
      (.forwardTo, "http://a:0", "PORT"),
    ] as [(RouteEntry, String, String?)])
  func refused(_ kind: RouteEntry, _ entry: String, _ part: String?) throws {
    let error = try #require(throws: RouteEntry.FormError.self, "\(entry)") { try kind.check(entry) }
    #expect(error.detail?.contains(part ?? "\0") ?? (part == nil), "\(entry): \(error.detail ?? "")")
  }

  @Test("The host of a forward is in lower case, and its port is 80 by default")
  func forward() throws {
    #expect(try RouteEntry.forward("NEWS.example=http://web") == Forward(host: "news.example", target: "web:80"))
    #expect(try RouteEntry.forward("http://[::1]:8000") == Forward(host: "", target: "[::1]:8000"))
  }
}
