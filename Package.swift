// swift-tools-version:6.2
import PackageDescription

/// With PCM_INSTRUMENTED, `address` or `address,fuzzer`, the package's own targets are compiled for the address sanitizer, and for
/// libFuzzer, too. The packages that it depends on are compiled as for the tests, so that one build of them serves both. With
/// PCM_TEST_TARGETS, only the libraries that these tests are named after are instrumented, and not the tests.
let instruments = Context.environment["PCM_INSTRUMENTED"]
let isInstrumented = instruments != nil
let isForFuzzing = instruments?.hasSuffix("fuzzer") == true

/// What `--version` adds to the version: the commit of a release build.
let commit = Context.environment["PCM_COMMIT"] ?? ""

/// Every target is compiled with the same strict settings; nothing opts out.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// An instrumented program contains the address sanitizer.
let sanitized: [LinkerSetting] = isInstrumented ? [.unsafeFlags(["-sanitize=address"])] : []

/// With PCM_OPTIMIZED, and with a sanitizer, the libraries are optimized, because their tests take more time than the optimization.
/// The tests are not, even in a release build: the compiler would take longer than they do. For the frontend, these settings follow those
/// of a build, with which the compiler crashes: it cannot optimize testable libraries for size.
let isOptimized = isInstrumented || Context.environment["PCM_OPTIMIZED"] != nil
let optimized: [SwiftSetting] = isOptimized ? [.unsafeFlags(["-Xfrontend", "-O", "-enable-testing"])] : []
let unoptimized: [SwiftSetting] = isOptimized ? [.unsafeFlags(["-Xfrontend", "-Onone"])] : []

/// With PCM_STATIC, the program contains the Swift libraries. Only the package's own targets are compiled for that. The packages that
/// it depends on stay as the tests' build compiled them.
let isStatic = Context.environment["PCM_STATIC"] != nil
let compiledStatically: [SwiftSetting] = isStatic ? [.unsafeFlags(["-static-stdlib"])] : []
let linkedStatically: [LinkerSetting] = isStatic ? [.unsafeFlags(["-static-stdlib", "-use-ld=lld"])] : []

func pcm(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict + optimized + compiledStatically)
}

func test(_ name: String, _ dependencies: [Target.Dependency], linkerSettings: [LinkerSetting] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, swiftSettings: strict + unoptimized,
    linkerSettings: linkerSettings + sanitized)
}

/// The readers of untrusted bytes with their properties. Tests replay the corpora, and `scripts/fuzz` builds an executable
/// from the same folder, with libFuzzer's main function.
func fuzzing(_ dependencies: [Target.Dependency]) -> Target {
  guard isForFuzzing else {
    return .testTarget(
      name: "FuzzTests", dependencies: dependencies, exclude: ["Fuzzer.swift"], swiftSettings: strict + unoptimized,
      linkerSettings: sanitized)
  }
  return .executableTarget(
    name: "PCMFuzzer", dependencies: dependencies, path: "Tests/FuzzTests", exclude: ["CorpusTests.swift"],
    swiftSettings: strict, linkerSettings: [.unsafeFlags(["-parse-as-library", "-sanitize=address,fuzzer"])])
}

/// A library that only tests use.
func pcmTestSupport(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict + unoptimized)
}

extension Target.Dependency {
  static let asyncHTTPClient = product(name: "AsyncHTTPClient", package: "async-http-client")
  static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
  static let grdb = product(name: "GRDB", package: "GRDB.swift")
  static let grdbSQLite = product(name: "GRDBSQLite", package: "GRDB.swift")
  static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
  static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird")
  static let hummingbirdHTTP2 = product(name: "HummingbirdHTTP2", package: "hummingbird")
  static let hummingbirdTesting = product(name: "HummingbirdTesting", package: "hummingbird")
  static let hummingbirdTLS = product(name: "HummingbirdTLS", package: "hummingbird")
  static let deque = product(name: "DequeModule", package: "swift-collections")
  static let crypto = product(name: "Crypto", package: "swift-crypto")
  static let cryptoExtras = product(name: "CryptoExtras", package: "swift-crypto")
  static let heap = product(name: "HeapModule", package: "swift-collections")
  static let histogram = product(name: "Histogram", package: "hdrhistogram-swift")
  static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
  static let logging = product(name: "Logging", package: "swift-log")
  static let nioConcurrencyHelpers = product(name: "NIOConcurrencyHelpers", package: "swift-nio")
  static let nioCore = product(name: "NIOCore", package: "swift-nio")
  static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
  static let nioHPACK = product(name: "NIOHPACK", package: "swift-nio-http2")
  static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
  static let nioHTTP2 = product(name: "NIOHTTP2", package: "swift-nio-http2")
  static let nioHTTPTypes = product(name: "NIOHTTPTypes", package: "swift-nio-extras")
  static let nioHTTPTypesHTTP1 = product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
  static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
  static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
  static let nioWebSocket = product(name: "NIOWebSocket", package: "swift-nio")
  static let serviceLifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
  static let subprocess = product(name: "Subprocess", package: "swift-subprocess")
  static let swiftASN1 = product(name: "SwiftASN1", package: "swift-asn1")
  static let systemPackage = product(name: "SystemPackage", package: "swift-system")
  static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
  static let x509 = product(name: "X509", package: "swift-certificates")
  static let yams = product(name: "Yams", package: "Yams")
}

let package = Package(
  name: "pcm-browser",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "pcm-browser", targets: ["pcm-browser"]),
    // Also in clients/swift, whose package resolves nothing else.
    .library(name: "PCMClient", targets: ["PCMClient"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
  ],
  targets: [
    // System libraries: a module map and the inline wrappers that Swift needs.
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(name: "CPublicSuffix", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"]), .brew(["libpsl"])]),
    .systemLibrary(name: "CICU", pkgConfig: "icu-uc", providers: [.apt(["libicu-dev"]), .brew(["icu4c"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "CUnicode", dependencies: ["CICU"],
      cSettings: isInstrumented ? [.unsafeFlags(["-fsanitize=address"])] : []),
    .target(name: "CProcess"),
    .target(name: "CBuild", cSettings: [.define("PCM_COMMIT", to: "\"\(commit)\"")]),
    .target(name: "CPublicSuffixList", exclude: ["public_suffix_list.dat"]),
    .target(name: "COpenAPI", exclude: ["openapi.json"]),
    .target(name: "CPageAssets", exclude: ["files"]),
    .target(name: "CSwaggerUI", exclude: ["LICENSE", "README.md", "swagger-ui-bundle.js", "swagger-ui.css"]),

    // The rules of the web and the values that all targets share.
    pcm("PCMCore"),

    // What is parsed, signed, kept, and sent.
    pcm("PCMURL", ["PCMCore", "CCurl", "CPublicSuffix", "CPublicSuffixList", "CUnicode"]),
    // Info.plist files, with findings.
    pcm("PCMManifest", ["PCMCore", "PCMURL"]),
    pcm("PCMCrypto", ["PCMCore", "COpenSSL", .crypto, .cryptoExtras, .swiftASN1, .x509]),
    // What postbacks and ads are, whether their signatures verify, and why not.
    pcm("PCMVerify", ["CZlib", "PCMCore", "PCMCrypto", .crypto]),
    pcm("PCMStore", ["PCMCore", .nioConcurrencyHelpers]),
    pcm("PCMStoreSQLite", ["PCMCore", "PCMStore", .deque, .grdb, .grdbSQLite, .nioConcurrencyHelpers]),
    pcm("PCMStorePostgres", ["CLibPQ", "PCMCore", "PCMStore", .deque, .nioConcurrencyHelpers]),
    pcm("PCMNetwork", ["PCMCore", .nioConcurrencyHelpers]),
    // Sites with scripted responses, published test keys, and an ad network that signs with them.
    pcm("PCMSimulatedSites", ["PCMCore", "PCMCrypto", "PCMNetwork"]),
    pcm("PCMCurl", ["PCMCore", "PCMCrypto", "PCMNetwork", "CCurl", "COpenSSL", .nioConcurrencyHelpers]),

    // What happens in the pages of a real browser.
    pcm("PCMDevTools", ["PCMCore", .nioConcurrencyHelpers, .nioCore, .nioHTTP1, .nioPosix, .nioWebSocket]),

    // The rules of the device, for ads that lead to apps.
    pcm("PCMDevice", ["PCMCore", "PCMCrypto", "PCMVerify"]),

    // The browser and its device: operations, time, and delivery.
    pcm(
      "PCMBrowser",
      [
        "PCMCore", "PCMManifest", "PCMURL", "PCMStore", "PCMNetwork", "PCMSimulatedSites", "PCMDevice", "PCMCrypto",
        .heap, .nioConcurrencyHelpers,
      ]),

    // Scenarios, and the endpoints of reports: the reference, and the checks of others.
    pcm("PCMScenario", ["COpenAPI", "PCMCore", "PCMCrypto", "PCMNetwork", "PCMSimulatedSites", "PCMVerify", .yams]),
    pcm(
      "PCMEndpoint",
      ["PCMCore", "PCMCrypto", "PCMURL", "PCMNetwork", "PCMVerify", .crypto, .histogram, .nioConcurrencyHelpers]),

    // The catalog of all rules, for pages, the API, the command line, and the documentation.
    pcm("PCMRules", ["PCMBrowser", "PCMCore", "PCMDevice", "PCMEndpoint", "PCMManifest", "PCMNetwork"]),

    // Pages, the API, and the command line.
    pcm("PCMPages", ["CPageAssets", "PCMCore"]),
    pcm(
      "PCMHTTP",
      [
        "COpenAPI", "CSwaggerUI", "CZlib", "PCMCore", "PCMBrowser", "PCMDevice", "PCMDevTools", "PCMManifest", "PCMPages",
        "PCMEndpoint",
        "PCMRules", "PCMScenario",
        "PCMCrypto", "PCMNetwork", "PCMSimulatedSites", "PCMStore", "PCMVerify", .crypto, .hummingbird, .hummingbirdCore,
        .hummingbirdHTTP2,
        .hummingbirdTLS,
        .httpTypes, .logging, .nioConcurrencyHelpers, .nioCore, .nioHTTP1, .nioHTTPTypes, .nioPosix, .nioSSL, .serviceLifecycle,
      ]),
    pcm(
      "PCMApp",
      [
        "CBuild", "CProcess", "PCMCore", "PCMManifest", "PCMURL", "PCMStore", "PCMStorePostgres", "PCMStoreSQLite",
        "PCMNetwork", "PCMSimulatedSites", "PCMCurl",
        "PCMBrowser", "PCMHTTP", "PCMDevTools", "PCMCrypto", "PCMEndpoint", "PCMPages", "PCMRules", "PCMScenario", "PCMVerify",
        .argumentParser,
        .logging, .nioConcurrencyHelpers, .serviceLifecycle, .unixSignals,
      ]),
    .executableTarget(
      name: "pcm-browser", dependencies: ["PCMApp"], swiftSettings: strict + compiledStatically,
      linkerSettings: sanitized + linkedStatically),

    // The client library for the tests of others. Its package, for them, is clients/swift; this target is the same sources.
    pcm("PCMClient", path: "clients/swift/Sources/PCMClient"),

    // Measurements for scripts/bench, which sets PCM_BENCHMARKS.
    .executableTarget(
      name: "PCMBenchmarks",
      dependencies: [
        "PCMApp", "PCMBrowser", "PCMCore", "PCMCurl", "PCMEndpoint", "PCMNetwork", "PCMHTTP", "PCMManifest", "PCMURL",
        "PCMCrypto",
        "PCMStore", "PCMStorePostgres", "PCMStoreSQLite", "SignatureSupport", "CCurl", .asyncHTTPClient, .grdbSQLite,
        .hummingbird, .logging,
        .nioConcurrencyHelpers, .nioCore, .nioHTTP1, .serviceLifecycle, .unixSignals,
      ], path: "Tests/PCMBenchmarks", swiftSettings: strict + compiledStatically, linkerSettings: sanitized + linkedStatically),

    // Signs samples for scripts/test-signatures.
    .executableTarget(
      name: "PCMSignedSamples", dependencies: ["PCMCore", "PCMCrypto"], path: "Tests/SignedSamples", swiftSettings: strict,
      linkerSettings: sanitized),

    // Tests, and the libraries that several of them use.
    test("PCMCoreTests", ["PCMCore", "PCMURL", "StoreContract"]),
    test("PCMDeviceTests", ["PCMCore", "PCMDevice", "PCMCrypto", "PCMVerify"]),
    pcmTestSupport(
      "TLSSupport",
      ["PCMCrypto", "PCMCore", .nioConcurrencyHelpers, .nioCore, .nioHPACK, .nioHTTP2, .nioPosix, .nioSSL]),
    test(
      "PCMCurlTests", ["PCMCore", "PCMCurl", "PCMNetwork", "TLSSupport", .nioConcurrencyHelpers],
      // So that libcurl finds the tests' name lookup before the C library's.
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=getaddrinfo"], .when(platforms: [.linux]))
      ]),
    pcmTestSupport(
      "DevToolsSupport",
      ["PCMCore", "PCMDevTools", .nioConcurrencyHelpers, .nioCore, .nioHTTP1, .nioPosix, .nioWebSocket]),
    test(
      "PCMDevToolsTests",
      [
        "DevToolsSupport", "PCMCore", "PCMDevTools", .nioConcurrencyHelpers, .nioCore, .nioEmbedded, .nioHTTP1, .nioPosix,
      ]),
    test(
      "EndToEndTests",
      [
        "DevToolsSupport", "OpenSSLSupport", "PCMApp", "PCMBrowser", "PCMCrypto", "PCMDevTools", "PCMEndpoint", "PCMCore",
        "PCMCurl", "PCMNetwork", "PCMManifest", "PCMURL", "PCMStore", "PCMStorePostgres", "PostgresSupport",
        "ServiceSupport", "SignatureSupport", "TLSSupport", "pcm-browser", .asyncHTTPClient, .grdb, .nioConcurrencyHelpers,
        .nioCore, .nioHTTP1,
        .nioSSL,
      ]),
    pcmTestSupport(
      "ServiceSupport", [.asyncHTTPClient, .nioCore, .nioHTTP1, .nioPosix, .subprocess, .systemPackage]),
    test(
      "PCMClientTests",
      [
        "PCMClient", "PCMCore", "PCMCrypto", "ServiceSupport", "TLSSupport", "pcm-browser", .nioConcurrencyHelpers, .nioCore,
        .nioPosix,
      ]),
    test("RepositoryTests", [.subprocess, .systemPackage]),
    pcmTestSupport("StoreContract", ["PCMCore", "PCMStore"]),
    test("PCMStoreTests", ["PCMCore", "PCMStore", "StoreContract"]),
    test(
      "PCMStoreSQLiteTests",
      ["PCMCore", "PCMStore", "PCMStoreSQLite", "StoreContract", .grdb, .grdbSQLite, .nioConcurrencyHelpers]),
    pcmTestSupport("PostgresSupport", [.nioConcurrencyHelpers, .subprocess, .systemPackage]),
    test(
      "PCMStorePostgresTests",
      [
        "PCMCore", "PCMStore", "PCMStorePostgres", "PCMStoreSQLite", "PostgresSupport", "StoreContract", .nioConcurrencyHelpers,
      ]),
    pcmTestSupport(
      "BrowserSupport",
      ["PCMBrowser", "PCMCore", "PCMNetwork", "PCMManifest", "PCMURL", "PCMStore", "PCMCrypto", .nioConcurrencyHelpers]),
    test(
      "PCMBrowserTests",
      [
        "BrowserSupport", "PCMBrowser", "PCMCore", "PCMNetwork", "PCMDevice", "PCMManifest", "PCMURL", "PCMCrypto", "PCMStore",
        "PCMSimulatedSites", "PCMVerify", "StoreContract", .nioConcurrencyHelpers, .nioPosix,
      ]),
    // The API without a socket. Three targets test it, so that a change compiles only a part: PCMHTTPTests the protocol,
    // OperationRouteTests the operations, and DocumentTests the API's document, the rules, the explanations, and the pages.
    pcmTestSupport(
      "HTTPSupport",
      [
        "BrowserSupport", "PCMApp", "PCMBrowser", "PCMCore", "PCMCrypto", "PCMDevTools", "PCMHTTP", "PCMManifest", "PCMNetwork",
        "PCMStore", "PCMURL", .hummingbird, .hummingbirdTesting, .httpTypes, .nioConcurrencyHelpers, .nioCore,
      ]),
    test(
      "PCMHTTPTests",
      [
        "BrowserSupport", "HTTPSupport", "PCMBrowser", "PCMCore", "PCMCrypto", "PCMHTTP", "PCMManifest", "PCMNetwork",
        "PCMStore",
        "PCMStorePostgres", "PCMStoreSQLite", "PCMURL", "PostgresSupport", .asyncHTTPClient, .hummingbird, .hummingbirdTesting,
        .httpTypes, .logging, .nioConcurrencyHelpers, .nioCore, .nioHTTP1, .nioPosix, .serviceLifecycle,
      ]),
    test(
      "OperationRouteTests",
      [
        "BrowserSupport", "HTTPSupport", "PCMCore", "PCMCrypto", "PCMHTTP", "PCMNetwork", "PCMStore", .httpTypes,
        .nioConcurrencyHelpers,
      ]),
    test(
      "DocumentTests",
      [
        "BrowserSupport", "CZlib", "HTTPSupport", "PCMBrowser", "PCMCore", "PCMCrypto", "PCMEndpoint", "PCMHTTP", "PCMManifest",
        "PCMNetwork", "PCMPages", "PCMRules", "PCMScenario", "PCMSimulatedSites", "PCMStore", "PCMStoreSQLite", .hummingbird,
        .hummingbirdTesting, .httpTypes, .nioConcurrencyHelpers, .nioCore,
      ]),
    test(
      "ReceiverTests",
      [
        "BrowserSupport", "PCMCore", "PCMCrypto", "PCMEndpoint", "PCMHTTP", "PCMPages", "TLSSupport", .hummingbird,
        .hummingbirdTesting, .httpTypes, .logging, .nioCore, .nioPosix, .nioSSL, .serviceLifecycle,
      ]),
    test(
      "SimulationTests",
      [
        "BrowserSupport", "PCMBrowser", "PCMCore", "PCMDevice", "PCMNetwork", "PCMManifest", "PCMRules", "PCMURL", "PCMCrypto",
        "PCMStore", "PCMStorePostgres",
        "PCMStoreSQLite", "PCMVerify", "PostgresSupport", .grdb, .nioConcurrencyHelpers,
      ]),
    test(
      "PCMAppTests",
      [
        "PCMApp", "PCMEndpoint", "PCMCore", "PCMNetwork", "PCMHTTP", "PCMManifest", "PCMURL", "PCMPages", "PCMRules",
        "PCMScenario",
        "PCMCrypto", "PCMStore", "PCMVerify", "ServiceSupport", "SignatureSupport", .argumentParser, .logging,
        .nioConcurrencyHelpers,
      ]),
    test("PCMPagesTests", ["PCMCore", "PCMPages"]),
    pcmTestSupport("SignatureSupport", ["PCMCore", "PCMCrypto"]),
    test("PCMVerifyTests", ["PCMCore", "PCMCrypto", "PCMVerify", "SignatureSupport"]),
    test(
      "PCMCryptoTests",
      ["OpenSSLSupport", "PCMCore", "PCMCrypto", "SignatureSupport", .crypto, .cryptoExtras, .swiftASN1, .x509]),
    test("PCMNetworkTests", ["PCMCore", "PCMNetwork"]),
    test("PCMURLTests", ["PCMCore", "PCMURL"]),
    test("PCMManifestTests", ["PCMCore", "PCMManifest", "PCMURL"]),
    test(
      "PCMEndpointTests",
      ["PCMCore", "PCMCrypto", "PCMEndpoint", "PCMURL", "PCMNetwork", "PCMVerify", .crypto, .swiftASN1, .x509]),
    pcmTestSupport("OpenSSLSupport", [.subprocess, .systemPackage]),
    test("PCMScenarioReadingTests", ["PCMCore", "PCMNetwork", "PCMScenario", "PCMSimulatedSites", .yams]),
    test(
      "PCMScenarioTests",
      [
        "PCMApp", "PCMBrowser", "PCMCore", "PCMNetwork", "PCMSimulatedSites", "PCMHTTP", "PCMManifest", "PCMURL", "PCMScenario",
        "PCMStore",
        "PCMStorePostgres",
        "PCMCrypto", "PostgresSupport", .logging, .nioConcurrencyHelpers,
      ]),
    test("FidelityTests", ["BrowserSupport", "PCMBrowser", "PCMCore", "PCMNetwork", "PCMURL"]),
    fuzzing([
      "PCMBrowser", "PCMCore", "PCMCurl", "PCMHTTP", "PCMManifest", "PCMURL", "PCMScenario", "PCMCrypto", "PCMVerify",
      .httpTypes,
      .hummingbird, .nioCore,
      .nioEmbedded, .nioHTTP1, .nioHTTPTypes, .nioHTTPTypesHTTP1,
    ]),
  ],
  cLanguageStandard: .c2x
)

/// The test targets to build, for `scripts/test --sanitize`: with a sanitizer, a build takes twice as long.
let chosen = Context.environment["PCM_TEST_TARGETS"]?.split(separator: " ").map(String.init)
if let chosen {
  package.targets.removeAll { $0.isTest && !chosen.contains($0.name) }
}

if Context.environment["PCM_BENCHMARKS"] == nil {
  package.targets.removeAll { $0.name == "PCMBenchmarks" }
}

if let instruments {
  for target in package.targets where chosen.map({ $0.contains("\(target.name)Tests") }) ?? true {
    target.swiftSettings?.append(.unsafeFlags(["-Xfrontend", "-sanitize=\(instruments)"]))
  }
}
