import Foundation
import GRDB
import ServiceSupport
import TLSSupport
import Testing

/// Each error that ends a command at its start names the file or the option, and the remedy, in a sentence.
@Suite(.timeLimit(.minutes(10))) struct StartErrorTextTests {
  /// A command that cannot start.
  struct Case: CustomTestStringConvertible, Sendable {
    /// The arguments. In all texts, `@` stands for the folder of the test.
    let arguments: [String]
    let environment: [String: String]
    /// An option of `ulimit` with its value.
    let limit: String?
    /// The parts of the message: the file or option, the cause, and the remedy.
    let parts: [String]

    init(_ arguments: String, environment: [String: String] = [:], limit: String? = nil, _ parts: String...) {
      self.arguments = arguments.split(separator: " ").map { $0 == "EMPTY" ? "" : String($0) }
      self.environment = environment
      self.limit = limit
      self.parts = parts
    }

    var testDescription: String { arguments.joined(separator: " ") + (limit.map { " with ulimit \($0)" } ?? "") }
  }

  private static let serving = [
    Case("serve --port x", "--port", "'x' is invalid"), Case("serve --port 65536", "--port", "from 0 to 65535"),
    Case("serve --max-connections 0", "--max-connections", "from 1 to 65535"),
    Case("serve --max-browsers 0", "--max-browsers must be at least 1"),
    Case("serve --max-disk 1.5GiB", "--max-disk <size>", "'1.5GiB' is invalid"),
    Case("serve --log-level loud", "--log-level", "notice"), Case("serve --log-format xml", "--log-format", "'json'"),
    Case("serve", environment: ["PCM_BROWSER_LOG_FORMAT": "xml"], "PCM_BROWSER_LOG_FORMAT must be text or json"),
    Case("serve --host 0.0.0.0", "--host 0.0.0.0", "--api-token-file"),
    Case("serve --no-token --data @/new --port 0 --host 192.0.2.1", "192.0.2.1 is not an address of this machine", "--host"),
    Case("serve --no-token --data @/new --port 0 --host 256.0.0.1", "256.0.0.1 has no address", "--host"),
    // A machine without IPv6 gives another reason.
    Case("serve --no-token --data @/new --port 0 --host fe80::1", "fe80::1", "with --host"),
    Case("serve", environment: ["HOME": "", "XDG_STATE_HOME": "state"], "neither XDG_STATE_HOME nor HOME", "--data"),
    Case("receive", environment: ["HOME": "", "XDG_STATE_HOME": ""], "neither XDG_STATE_HOME nor HOME", "--ca-out"),
    Case("serve --data EMPTY", "--data \"\": expected the path of a folder"),
    Case("serve --data @/new --store postgres://db/pcm", "--data and --store exclude each other; use one of them"),
    Case(
      "serve --data @/new", environment: ["PCM_BROWSER_STORE": "postgres://db/pcm"],
      "--data and PCM_BROWSER_STORE exclude each other"),
    Case("serve --store postgres://db/pcm --max-disk 1GiB", "--max-disk limits the file of a folder", "PostgreSQL's disk"),
    Case("serve --store mysql://db/pcm", "--store: the address of the store is not valid; write postgres://USER"),
    Case(
      "serve --port 0 --store postgres:///pcm?host=@/none&password=s3cret",
      "cannot connect to postgres://@/none/pcm: connection to server on socket", "No such file or directory",
      "start the server, or correct the address"),
    Case("serve --data @/file", "cannot create the data folder @/file", "--data"),
    Case("serve --port 0 --data @/file/below", "cannot create the data folder @/file/below", "--data"),
    Case("serve --data /proc", "cannot open /proc/pcm-browser.sqlite: the file cannot be created", "--data"),
    Case(
      "serve --data @/text", "@/text/pcm-browser.sqlite is not a database of pcm-browser", "; use another folder with --data"),
    Case("serve --data @/foreign", "@/foreign/pcm-browser.sqlite is not a database of pcm-browser", "--data"),
    Case(
      "serve --data @/later", "@/later/pcm-browser.sqlite has version 1000000, and this pcm-browser requires version",
      "or use another folder with --data"),
    Case("serve --data @/damaged", "@/damaged/pcm-browser.sqlite: database disk image is malformed", "--data"),
    Case("serve --data @/folder", "cannot open @/folder/pcm-browser.sqlite: it is a folder", "--data"),
    Case("serve --data @/pipe", "cannot open @/pipe/pcm-browser.sqlite: it is not a readable file", "--data"),
    Case("serve --data @/owned-by-folder", "the owner file @/owned-by-folder/pcm-browser.sqlite-owner", "remove it"),
    Case("serve --data @/owned-by-text", "the owner file @/owned-by-text/pcm-browser.sqlite-owner", "remove it"),
    Case("serve --data @/log-folder", "cannot open @/log-folder/pcm-browser.sqlite", "--data"),
    Case("serve --data @/full", limit: "-f 0", "@/full/pcm-browser.sqlite", "--data"),
    Case("serve --data @/new", limit: "-n 16", "limit on open files is 16", "ulimit -n"),
    Case("serve --data @/new --public-suffix-list @/none", "@/none", "No such file", "--public-suffix-list"),
    Case("serve --data @/new --public-suffix-list @/large", "larger than 16777216 bytes", "--public-suffix-list"),
    Case("serve --data @/new --public-suffix-list @/file", "@/file is not a public suffix list", "--public-suffix-list"),
    Case("serve --api-token EMPTY", "--api-token \"\": expected a token"),
    Case("serve --api-token-file @/none", "--api-token-file \"@/none\"", "No such file"),
    Case("serve --api-token-file @/folder", "--api-token-file \"@/folder\"", "Is a directory"),
    Case("serve --connect-to x", "--connect-to \"x\": expected HOST1:PORT1:HOST2:PORT2"),
    Case("serve --forward-to https://127.0.0.1", "--forward-to \"https://127.0.0.1\": expected", "use --connect-to"),
    Case("serve --forward-to a=http://b --forward-to A=http://c", "--forward-to has two entries for a", "omit one"),
    Case("serve --resolve x", "--resolve \"x\": expected", "HOST:PORT:ADDRESS"),
    Case("serve --ca-file @/file", "--ca-file \"@/file\": expected a PEM file", "no certificate"),
    Case("serve --ca-file @/der", "--ca-file \"@/der\"", "in DER form; convert it with openssl x509 -inform der -in @/der"),
    Case("serve --ca-file @/broken.pem", "--ca-file \"@/broken.pem\"", "Certificate 1 of the file cannot be read"),
    Case("serve --ca-file EMPTY", "--ca-file \"\"", "The path is empty"),
    Case("serve --ca-file @/folder", "--ca-file \"@/folder\"", "It is a directory"),
    Case("serve --ca-file @/large", "--ca-file \"@/large\"", "larger than 16777216 bytes"),
    Case("serve --host [::1 --no-token", "--host \"[::1\"", "[::1]"),
    Case("help verfy", "Did you mean pcm-browser verify?"),
    Case("serve --allowed-host EMPTY", "--allowed-host \"\": expected a host name"),
    Case("serve --allowed-host https://pcm.example", "--allowed-host \"https://pcm.example\"", "as in pcm.example"),
    Case("serve --allowed-host pcm.example/", "--allowed-host \"pcm.example/\"", "with or without a port"),
    Case("serve --allowed-host pcm.example:x", "--allowed-host \"pcm.example:x\"", "with or without a port"),
    Case("serve --bogus", "--bogus", "serve --help"),
  ]

  private static let receiving = [
    Case("receive --port x", "--port", "'x' is invalid"), Case("receive --key-bits 5", "--key-bits must be 2048"),
    Case("receive --host 192.0.2.1 --ca-out @/ca.pem --key-bits 2048", "192.0.2.1 is not an address", "--host"),
    Case("receive --host fe80::1 --ca-out @/ca.pem --key-bits 2048", "fe80::1", "with --host"),
    Case("receive --name EMPTY", "--name \"\": expected a host name"),
    Case("receive --name ..", "--name \"..\": expected a host name"),
    Case("receive --name :", "--name \":\": expected a host name"),
    Case("receive --name a..b", "--name \"a..b\": expected a host name", "as in news.example"),
    Case("receive --name a.example:443", "--name \"a.example:443\": expected a host name"),
    Case("receive --name böse.example", "--name \"böse.example\": expected a host name", "in ASCII"),
    Case("receive --key-bits 2048 --ca-out @/folder", "cannot write @/folder: Is a directory", "--ca-out"),
    Case("receive --key-bits 2048 --ca-out @/none/ca", "cannot write @/none/ca: No such file", "--ca-out"),
    Case("receive --key @/folder", "cannot read @/folder: it is a folder", "--key"),
    Case("receive --key @/file", "@/file: The file is not an RSA private key", "--key"),
    Case("receive --key-bits 2048 --key @/none/key", "cannot write @/none/key: No such file", "--key"),
    Case("receive --key-bits 2048 --other-key @/none", "cannot read @/none: No such file", "--other-key"),
    Case("receive --key-bits 2048 --other-key @/file", "@/file: The key", "--other-key"),
    Case("receive --key-bits 2048 --reports @/folder", "cannot write @/folder: Is a directory", "--reports"),
    Case("receive --key @/large", "@/large is larger than 16777216 bytes", "--key"),
    Case("receive --key-bits 2048 --other-key @/large", "@/large is larger than 16777216 bytes", "--other-key"),
    Case(
      "receive --key-bits 2048 --certificate @/large --private-key @/file", "@/large is larger than 16777216 bytes",
      "--certificate"),
    Case(
      "receive --key-bits 2048 --certificate @/file --private-key @/large", "@/large is larger than 16777216 bytes",
      "--private-key"),
    Case("receive --certificate @/file", "use --certificate and --private-key together"),
    Case("receive --key-bits 2048 --certificate @/none --private-key @/file", "cannot read @/none", "--certificate"),
    Case("receive --key-bits 2048 --certificate @/file --private-key @/folder", "cannot read @/folder", "--private-key"),
    Case(
      "receive --key-bits 2048 --port 0 --certificate @/file --private-key @/file", "--certificate contains no readable PEM"),
    Case("receive --admin-token EMPTY", "--admin-token \"\": expected a token"),
    Case("receive", limit: "-n 16", "limit on open files is 16", "ulimit -n"),
  ]

  private static let others = [
    Case("run", "expected scenario files"),
    Case("run @/none.yaml", "no such file or folder: @/none.yaml", "name scenario files"),
    Case("run @/none", "no such file or folder: @/none", "name scenario files"),
    Case("run --schema @/file", "--schema cannot be combined with files; omit one"),
    Case("run @/file --junit @/new --html @/new", "--junit and --html name the same file", "choose another"),
    Case("run @/empty", "no scenario file in @/empty", ".yaml"), Case("run @/file", "@/file:1:1: expected an object"),
    Case("run @/pipe/pcm-browser.sqlite", "@/pipe/pcm-browser.sqlite", "no process writes to this pipe"),
    Case("run @/file --junit @/folder", "cannot write @/folder: Is a directory", "--junit"),
    Case("run @/file --junit @/none/x", "cannot write @/none/x: No such file", "--junit"),
    Case("run @/file --seed EMPTY", "--seed must have 1 to 128"),
    Case("run @/file --connect-to ::127.0.0.1:1", "the network options require --live"),
    Case("run @/file --live --connect-to x", "--connect-to \"x\": expected HOST1:PORT1:HOST2:PORT2"),
    Case("load-test https://a.example --rate 51", "a.example receives at most 50 requests a second", "--forward-to"),
    Case("load-test http://localhost", "expected an https URL"),
    Case(
      "load-test https://localhost --token-admin ads.example", "--token-admin is not an absolute", "write https://ads.example"),
    Case("load-test https://localhost --token-admin https://localhost/?a", "--token-admin \"https://localhost/?a\": expected"),
    Case("load-test https://localhost --html @/folder", "cannot write @/folder: Is a directory", "--html"),
    Case("check", "expected the endpoint's URL", "--manifest"),
    Case("check news.example", "not an absolute http or https URL: news.example", "write https://news.example"),
    Case("check https://a.example", "a.example", "--yes-i-own-this"),
    Case("check https://localhost --junit @/folder", "cannot write @/folder: Is a directory", "--junit"),
    Case("check https://localhost --html @/none/x", "cannot write @/none/x: No such file", "--html"),
    Case("check https://localhost --junit @/new --html @/new", "--junit and --html name the same file", "choose another"),
    Case("check https://localhost --tokens off --nonce x", "--tokens off conflicts with --nonce", "omit one"),
    Case("check https://localhost --test-keys", "--test-keys: expected --kind skadnetwork"),
    Case("check https://localhost --token-admin ads.example", "--token-admin is not an absolute", "write https://ads.example"),
    Case("check https://localhost --token-admin https://localhost/?a", "--token-admin \"https://localhost/?a\": expected"),
    Case("check https://localhost --rules zzz", "--rules", "check --list"),
    Case("check https://localhost --source-id 300", "--source-id \"300\": expected a number from 0 to 255"),
    Case("check https://localhost --destination x", "--destination \"x\": expected a registrable domain"),
    Case("check https://localhost --pixel x", "--pixel is not an absolute", "write https://x"),
    Case("check https://localhost --destination a/b", "--destination \"a/b\": expected a host, as in shop.example"),
    Case(
      "check https://localhost --destination www.shop.example",
      "--destination \"www.shop.example\": expected shop.example, because reports name the registrable domain"),
    Case(
      "check https://news.example --source-site shop.example",
      "--source-site \"shop.example\": with --role source, reports name the endpoint's site there, news.example.",
      "use --destination for the other site"),
    Case(
      "check https://news.example --destination news.example",
      "--destination \"news.example\": expected a site other than the endpoint's"),
    Case("check https://localhost --trigger-data 16", "--trigger-data \"16\": expected a number from 0 to 15"),
    Case("check https://localhost --rules ,", "--rules: expected at least one rule"),
    Case(
      "check https://localhost --kind skadnetwork --rules zzz", "--rules: no rule begins with zzz",
      "check --list --kind skadnetwork"),
    Case("check https://localhost --nonce x --token-admin https://localhost", "use either --nonce or --token-admin"),
    Case("check https://localhost --token-admin https://localhost --admin-token EMPTY", "--admin-token \"\": expected a token"),
    Case("check https://localhost --tokens off --token-admin https://localhost", "--tokens off conflicts with --token-admin"),
    Case(
      "check https://localhost --kind skadnetwork --pixel https://shop.example",
      "--pixel has no effect on postbacks; omit it, or use --kind report"),
    Case(
      "check https://localhost/#a --kind skadnetwork", "the endpoint \"https://localhost/#a\"",
      "expected an https URL without a user name and a fragment"),
    Case("check https://localhost --manifest @/file", "use either a URL or --manifest"),
    Case(
      "check --manifest @/no-endpoint.plist", "@/no-endpoint.plist names no usable endpoint. ",
      "NSAdvertisingAttributionReportEndpoint is missing", "Write the domain alone"),
    Case(
      "check --manifest @/unusable.plist", "@/unusable.plist names no usable endpoint. ",
      "NSAdvertisingAttributionReportEndpoint"),
    Case("check https://localhost --ca-file @/none", "--ca-file \"@/none\": expected a PEM file"),
    Case("check --manifest @/none", "cannot read @/none: No such file", "Info.plist"),
    Case("manifest EMPTY", "the path of a file is empty; name the Info.plist of an app"),
    Case("manifest @/none", "cannot read @/none: No such file", "Info.plist"),
    Case("manifest @/folder", "cannot read @/folder: it is a folder", "Info.plist"),
    Case("manifest @/file", "@/file: The file is not a property list in XML or binary format"),
    Case("manifest @/large", "@/large is larger than 1048576 bytes", "Info.plist"),
    Case("demo --manifest @/large", "@/large is larger than 1048576 bytes", "Info.plist"),
    Case("manifest @/cut.plist", "@/cut.plist: "), Case("demo --manifest @/file", "@/file: The file is not a property list"),
    Case(
      "demo --manifest @/other.plist", "@/other.plist: the demo needs a report endpoint on news.example, not other.example"),
    Case("demo --manifest @/unusable.plist", "@/unusable.plist: the demo needs a report endpoint on news.example. "),
    Case("demo --manifest @/binary.plist", "@/binary.plist: the demo takes the XML form", "plutil -convert xml1"),
    Case("demo --device --manifest @/other.plist", "--device has its own apps; leave out --manifest"),
    Case("demo --pages --device", "--pages has no apps; leave out --device and --manifest"),
    Case("demo --serve", "--serve and --port belong to --pages"),
    Case("demo --pages", environment: ["PCM_CHROMIUM": "@/none"], "PCM_CHROMIUM \"@/none\" is not an executable file"),
    Case("demo", environment: ["TMPDIR": "@/none"], "cannot create a folder in @/none: No such file or directory", "TMPDIR"),
    Case("exec -- true", environment: ["TMPDIR": "/proc"], "cannot create a folder in /proc: ", "TMPDIR"),
    Case("demo", limit: "-n 16", "limit on open files is 16", "ulimit -n"), Case("bogus", "bogus", "--help"),
    Case("chek https://ads.example", "unexpected arguments: 'chek'", "Did you mean pcm-browser check?"),
    Case("store cpy @/none @/new", "Did you mean pcm-browser store copy?"),
  ]

  private static let verifying = [
    Case("verify", "Missing expected argument '<file>'", "verify --help"),
    Case("verify @/none", "no such file or folder: @/none", "name a file with a postback"),
    Case("verify @/empty", "no file in @/empty", "name a file with a postback"),
    Case("verify @/pipe/pcm-browser.sqlite", "cannot read @/pipe/pcm-browser.sqlite: no process writes to this pipe"),
    Case("manifest @/pipe/pcm-browser.sqlite", "cannot read @/pipe/pcm-browser.sqlite: no process writes to this pipe"),
    Case("verify @/large", "@/large has more than 67108864 bytes", "divide it"),
    Case("verify --key @/none @/file", "cannot read @/none: No such file", "--key"),
    Case("verify --key @/folder @/file", "cannot read @/folder: Is a directory", "--key"),
    Case("verify --key @/file @/file", "@/file: The key", "choose another file with --key"),
    Case("verify --test-keys --key @/file @/file", "--test-keys: expected no --key"),
    Case("verify --token-key a.example=@/none @/file", "cannot read @/none: No such file", "--token-key"),
    Case("verify --html @/none/x @/file", "cannot write @/none/x: No such file", "--html"),
    Case("simulate @/none --reports @/new", "cannot read @/none: No such file"),
    Case("simulate @/file --reports @/none/x", "cannot write @/none/x: No such file", "--reports"),
    Case("exec pytest", "the command is missing", "Write the command after --"),
    Case("exec --log @/none/log -- true", "cannot write @/none/log: No such file", "--log"),
    Case("exec --data @/file -- true", "cannot create the data folder @/file", "--data"),
  ]

  private static let storing = [
    Case("store copy @/none", "Missing expected argument '<target>'", "store copy --help"),
    Case("store copy @/none @/new", "there is no @/none/pcm-browser.sqlite; name the data folder of a service"),
    Case("store copy EMPTY @/new", "the path of a folder is empty", "name a data folder"),
    Case("store copy mysql://db/pcm @/new", "the address of the store is not valid; write postgres://USER"),
    Case("store copy @/foreign @/new", "@/foreign/pcm-browser.sqlite is not a database of pcm-browser"),
    Case("store copy @/later @/new", "@/later/pcm-browser.sqlite has version 1000000, and this pcm-browser requires version"),
  ]

  private static let agents = [
    Case("mcp --url http://127.0.0.1:1", "no response from http://127.0.0.1:1; start it with pcm-browser serve", "--url"),
    Case("mcp", environment: ["PCM_BROWSER_URL": "nonsense"], "no response from nonsense", "correct --url or PCM_BROWSER_URL"),
    Case("rules tap-is-verifed", "no rule and no reason has the name \"tap-is-verifed\"", "did you mean tap-is-verified?"),
  ]

  private static let attaching = [
    Case("attach", "name the browser's DevTools, such as http://127.0.0.1:9222", "--launch"),
    Case("attach 9222", "the address \"9222\": expected http://HOST:PORT", "--remote-debugging-port"),
    Case("attach http://192.0.2.1:9222", "192.0.2.1 is not a loopback address", "--devtools-host"),
    Case("attach --launch http://127.0.0.1:9222", "--launch starts a browser; leave out its address"),
    Case("attach http://127.0.0.1:9222 --headless", "--headless and --open belong to --launch"),
    Case("attach http://127.0.0.1:9222 --hold PT1M", "--hold \"PT1M\": expected", "at most PT10S"),
    Case("attach --launch", environment: ["PCM_CHROMIUM": "@/none"], "PCM_CHROMIUM", "name Chromium or Chrome"),
    Case(
      "attach http://127.0.0.1:1", environment: ["PCM_BROWSER_URL": "nonsense"], "no response from nonsense", "--service"),
  ]

  private static let cases = attaching + serving + receiving + others + verifying + storing + agents

  @Test("each subcommand in the help has a row")
  func eachSubcommandIsCovered() async throws {
    let help = try await ServiceProcess.run(["--help"]).output.split(separator: "\n", omittingEmptySubsequences: false)
    let section = help.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }
    // The lines of a description are further to the right.
    let names = section.filter { !$0.hasPrefix("   ") }.compactMap { $0.split(separator: " ").first.map { String($0) } }
    #expect(names.contains("serve"))
    #expect(Set(names).subtracting(Self.cases.compactMap(\.arguments.first)) == [])
  }

  @Test(arguments: cases)
  func theTextNamesTheCauseAndTheRemedy(_ failure: Case) async throws {
    let folder = try TemporaryFolder()
    try Self.fill(folder.path)
    func filled(_ text: String) -> String { text.replacing("@", with: folder.path) }
    let failed = try await FailedCommand(
      failure.arguments.map(filled), environment: failure.environment.mapValues(filled), limit: failure.limit)
    #expect(failed.status == 2)
    let text = failed.message + failed.output
    for part in failure.parts { #expect(text.contains(filled(part)), "\(text)") }
    #expect(!failed.isDump, "\(failed.message)")
  }

  /// Creates files that cannot be used.
  private static func fill(_ path: String) throws {
    for name in ["text", "foreign", "later", "damaged", "folder/pcm-browser.sqlite", "pipe", "owned-by-text", "full", "empty"]
      + ["owned-by-folder/pcm-browser.sqlite-owner", "log-folder/pcm-browser.sqlite-wal"]
    {
      try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }
    let texts = [
      "file": "garbage", "der": "0\u{0}", "broken.pem": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      "cut.plist": "<?xml version=\"1.0\"?><plist><dict><key>",
      "text/pcm-browser.sqlite": String(repeating: "no database ", count: 1_000),
      "owned-by-text/pcm-browser.sqlite-owner": String(repeating: "garbage ", count: 1_000),
    ]
    for (name, text) in texts { try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8) }
    try fillManifests(path)
    #expect(mkfifo("\(path)/pipe/pcm-browser.sqlite", 0o600) == 0)
    for (name, sql) in [
      ("foreign", "CREATE TABLE notes (text TEXT)"),
      ("later", "PRAGMA application_id = 0x50434D42; PRAGMA user_version = 1000000"),
      ("damaged", "PRAGMA application_id = 0x50434D42; CREATE TABLE browsers (name TEXT)"),
    ] {
      let queue = try DatabaseQueue(path: "\(path)/\(name)/pcm-browser.sqlite")
      try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
      try queue.close()
    }
    #expect(FileManager.default.createFile(atPath: "\(path)/large", contents: nil))
    let large = try #require(FileHandle(forWritingAtPath: "\(path)/large"))
    try large.truncate(atOffset: 3 << 30)
    try large.close()
    let damaged = try #require(FileHandle(forUpdatingAtPath: "\(path)/damaged/pcm-browser.sqlite"))
    try damaged.seek(toOffset: 100)
    try damaged.write(contentsOf: [UInt8](repeating: 0xA5, count: 8_000))
    try damaged.close()
  }

  /// Creates property lists whose endpoint or format cannot be used.
  private static func fillManifests(_ path: String) throws {
    let manifests: [(name: String, values: [String: String], format: PropertyListSerialization.PropertyListFormat)] = [
      ("no-endpoint", [:], .xml), ("unusable", ["NSAdvertisingAttributionReportEndpoint": "news.example"], .xml),
      ("other", ["NSAdvertisingAttributionReportEndpoint": "https://other.example"], .xml),
      ("binary", ["NSAdvertisingAttributionReportEndpoint": "https://news.example"], .binary),
    ]
    for (name, values, format) in manifests {
      let bundle = ["CFBundleIdentifier": "com.example.news"].merging(values) { $1 }
      let bytes = try PropertyListSerialization.data(fromPropertyList: bundle, format: format, options: 0)
      try bytes.write(to: URL(fileURLWithPath: "\(path)/\(name).plist"))
    }
  }
}
