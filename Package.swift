// swift-tools-version:6.2
import PackageDescription

/// Every target is compiled with the same strict settings; nothing opts out.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

func pcm(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func test(_ name: String, _ dependencies: [Target.Dependency], linkerSettings: [LinkerSetting] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict, linkerSettings: linkerSettings)
}

/// The readers of untrusted bytes with their properties. Tests replay the corpora, and `scripts/fuzz` builds an executable
/// from the same folder, with libFuzzer's main function.
func fuzzing(_ dependencies: [Target.Dependency]) -> Target {
  guard Context.environment["PCM_FUZZ"] != nil else {
    return .testTarget(name: "FuzzTests", dependencies: dependencies, exclude: ["Fuzzer.swift"], swiftSettings: strict)
  }
  return .executableTarget(
    name: "PCMFuzzer", dependencies: dependencies, path: "Tests/FuzzTests", exclude: ["CorpusTests.swift"],
    swiftSettings: strict)
}

/// A library that only tests use.
func pcmTestSupport(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
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
    .target(name: "CUnicode", dependencies: ["CICU"]),
    .target(name: "CPublicSuffixList", exclude: ["public_suffix_list.dat"]),
    .target(name: "COpenAPI", exclude: ["openapi.json"]),
    .target(name: "CSwaggerUI", exclude: ["LICENSE", "README.md", "swagger-ui-bundle.js", "swagger-ui.css"]),

    // What is true.
    pcm("PCMCore"),

    // What is read, kept and sent.
    pcm("PCMSites", ["PCMCore", "CCurl", "CPublicSuffix", "CPublicSuffixList", "CUnicode"]),
    pcm("PCMManifest", ["PCMCore"]),
    pcm("PCMTokens", ["PCMCore", .crypto, .cryptoExtras, .swiftASN1]),
    pcm("PCMSignatures", ["PCMCore", "COpenSSL", .crypto, .swiftASN1]),
    pcm("PCMStore", ["PCMCore", .nioConcurrencyHelpers]),
    pcm("PCMStoreSQLite", ["PCMCore", "PCMStore", .deque, .grdb, .grdbSQLite, .nioConcurrencyHelpers]),
    pcm("PCMDelivery", ["PCMCore"]),
    pcm("PCMCurl", ["PCMCertificates", "PCMCore", "PCMDelivery", "CCurl", "COpenSSL", .nioConcurrencyHelpers]),

    // The other side of reports and tokens.
    pcm("PCMCertificates", ["PCMCore", .crypto, .swiftASN1, .x509]),
    pcm("PCMReceiver", ["PCMCore", "PCMSignatures", "PCMTokens"]),

    // The rules of the device, for ads that lead to apps.
    pcm("PCMDevice", ["PCMCore", "PCMSignatures"]),

    // The simulated side of the network.
    pcm("PCMSimulation", ["PCMCore", "PCMDelivery", "PCMSignatures", "PCMTokens"]),

    // What happens when.
    pcm(
      "PCMBrowser",
      [
        "PCMCore", "PCMSites", "PCMManifest", "PCMStore", "PCMDelivery", "PCMDevice", "PCMSignatures", "PCMSimulation",
        "PCMTokens", .nioConcurrencyHelpers,
      ]),

    // What is told of the running.
    pcm("PCMTelemetry", ["PCMCore", "PCMStore", "PCMDelivery", .logging, .nioConcurrencyHelpers]),

    // What is played, and what is examined.
    pcm("PCMScenario", ["COpenAPI", "PCMCore", "PCMDelivery", "PCMSignatures", "PCMSimulation", "PCMTokens", .yams]),
    pcm(
      "PCMCheck",
      ["PCMCertificates", "PCMCore", "PCMSites", "PCMDelivery", "PCMSignatures", "PCMTokens", .crypto]),

    // What is seen, spoken and chosen.
    pcm("PCMPages", ["PCMCore"]),
    pcm(
      "PCMHTTP",
      [
        "COpenAPI", "CSwaggerUI", "PCMCore", "PCMBrowser", "PCMDevice", "PCMManifest", "PCMPages", "PCMReceiver", "PCMScenario",
        "PCMSignatures", "PCMSimulation", "PCMStore", "PCMTelemetry", "PCMTokens", .crypto, .hummingbird, .hummingbirdCore,
        .hummingbirdHTTP2, .hummingbirdTLS,
        .httpTypes,
        .logging,
        .nioConcurrencyHelpers,
        .nioCore, .nioHTTP1, .nioHTTPTypes, .nioPosix, .nioSSL,
        .serviceLifecycle,
      ]),
    pcm(
      "PCMApp",
      [
        "PCMCore", "PCMSites", "PCMManifest", "PCMStore", "PCMStoreSQLite", "PCMDelivery", "PCMCurl", "PCMBrowser", "PCMHTTP",
        "PCMCertificates", "PCMCheck", "PCMPages", "PCMReceiver", "PCMScenario", "PCMSignatures", "PCMSimulation",
        "PCMTelemetry", "PCMTokens",
        .argumentParser,
        .asyncHTTPClient,
        .logging, .nioConcurrencyHelpers, .nioCore, .nioHTTP1, .serviceLifecycle, .unixSignals,
      ]),
    .executableTarget(name: "pcm-browser", dependencies: ["PCMApp"], swiftSettings: strict),

    // The client's view: for the tests of others, so of the rest it knows only the request bodies.
    pcm("PCMClient", ["PCMCore", .asyncHTTPClient, .nioCore, .nioHTTP1]),

    // Measurements for scripts/bench.
    .executableTarget(
      name: "PCMBenchmarks",
      dependencies: [
        "PCMApp", "PCMBrowser", "PCMCore", "PCMCurl", "PCMDelivery", "PCMHTTP", "PCMManifest", "PCMSignatures", "PCMSites",
        "PCMStore", "PCMStoreSQLite", "PCMTokens", "CCurl", .asyncHTTPClient, .grdbSQLite, .hummingbird, .logging, .nioCore,
        .nioHTTP1, .serviceLifecycle,
        .unixSignals,
      ], path: "Tests/PCMBenchmarks", swiftSettings: strict),

    // Signs samples for scripts/test-signatures.
    .executableTarget(
      name: "PCMSignedSamples", dependencies: ["PCMCore", "PCMSignatures"], path: "Tests/SignedSamples", swiftSettings: strict),

    // Tests: a suite a target, and the libraries that several suites use.
    test("PCMCoreTests", ["PCMCore", "PCMSites", "StoreContract"]),
    test("PCMDeviceTests", ["PCMCore", "PCMDevice", "PCMSignatures"]),
    test("PCMSitesTests", ["PCMCore", "PCMSites"]),
    pcmTestSupport(
      "TLSSupport",
      [
        "PCMCertificates", "PCMCore", "PCMTokens", .nioConcurrencyHelpers, .nioCore, .nioHPACK, .nioHTTP2,
        .nioPosix, .nioSSL,
      ]),
    test(
      "PCMCurlTests", ["PCMCore", "PCMCurl", "PCMDelivery", "TLSSupport", .nioConcurrencyHelpers],
      // So that libcurl finds the tests' name lookup before the C library's.
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=getaddrinfo"], .when(platforms: [.linux]))
      ]),
    test(
      "EndToEndTests",
      [
        "OpenSSLSupport", "PCMApp", "PCMBrowser", "PCMCertificates", "PCMCheck", "PCMCore", "PCMCurl", "PCMDelivery",
        "PCMSites", "PCMTokens",
        "ServiceSupport", "TLSSupport", "pcm-browser", .asyncHTTPClient, .grdb, .nioConcurrencyHelpers, .nioCore, .nioHTTP1,
        .nioSSL,
      ]),
    pcmTestSupport(
      "ServiceSupport", [.asyncHTTPClient, .nioCore, .nioHTTP1, .nioPosix, .subprocess, .systemPackage]),
    test(
      "PCMClientTests",
      [
        "PCMClient", "PCMCore", "PCMSignatures", "PCMTokens", "ServiceSupport", "TLSSupport", "pcm-browser",
        .nioConcurrencyHelpers, .nioCore,
        .nioPosix,
      ]),
    test("RepositoryTests", [.subprocess, .systemPackage]),
    pcmTestSupport("StoreContract", ["PCMCore", "PCMStore"]),
    test("PCMStoreTests", ["PCMCore", "PCMStore", "StoreContract"]),
    test(
      "PCMStoreSQLiteTests",
      ["PCMCore", "PCMStore", "PCMStoreSQLite", "StoreContract", .grdb, .grdbSQLite, .nioConcurrencyHelpers]),
    pcmTestSupport(
      "BrowserSupport",
      [
        "PCMBrowser", "PCMCore", "PCMDelivery", "PCMManifest", "PCMSites", "PCMStore", "PCMTokens",
        .nioConcurrencyHelpers,
      ]),
    test(
      "PCMBrowserTests",
      [
        "BrowserSupport", "PCMBrowser", "PCMCore", "PCMDelivery", "PCMDevice", "PCMManifest", "PCMSignatures", "PCMSimulation",
        "PCMSites", "PCMStore", "PCMTokens", "StoreContract",
        .nioConcurrencyHelpers, .nioPosix,
      ]),
    test(
      "PCMHTTPTests",
      [
        "BrowserSupport", "PCMApp", "PCMBrowser", "PCMCertificates", "PCMCore", "PCMCurl", "PCMDelivery", "PCMDevice",
        "PCMHTTP", "PCMManifest", "PCMPages", "PCMReceiver", "PCMScenario", "PCMSignatures", "PCMSimulation", "PCMSites",
        "PCMStore", "PCMStoreSQLite", "PCMTelemetry", "PCMTokens",
        "TLSSupport", .hummingbird, .hummingbirdTesting, .httpTypes, .nioConcurrencyHelpers, .nioCore, .nioEmbedded, .nioHTTP1,
        .asyncHTTPClient, .logging, .nioPosix, .nioSSL, .serviceLifecycle,
      ]),
    test(
      "PCMTelemetryTests",
      [
        "BrowserSupport", "PCMCore", "PCMDelivery", "PCMStore", "PCMTelemetry", "StoreContract", .logging,
        .nioConcurrencyHelpers,
      ]),
    test(
      "SimulationTests",
      [
        "BrowserSupport", "PCMBrowser", "PCMCore", "PCMDelivery", "PCMManifest", "PCMSignatures", "PCMSites", "PCMStore",
        "PCMStoreSQLite", "PCMTokens", .grdb, .nioConcurrencyHelpers,
      ]),
    test(
      "PCMAppTests",
      [
        "PCMApp", "PCMCheck", "PCMCore", "PCMDelivery", "PCMHTTP", "PCMManifest", "PCMPages", "PCMReceiver", "PCMScenario",
        "PCMSignatures", "PCMSites", "PCMStore", "PCMTokens", "ServiceSupport", .argumentParser, .logging,
        .nioConcurrencyHelpers,
      ]),
    test("PCMDeliveryTests", ["PCMCore", "PCMDelivery"]),
    test(
      "PCMCheckTests",
      [
        "PCMCertificates", "PCMCheck", "PCMCore", "PCMDelivery", "PCMReceiver", "PCMSignatures", "PCMSites", "PCMTokens",
        .crypto,
        .swiftASN1, .x509,
      ]),
    test("PCMPagesTests", ["PCMPages"]),
    test("PCMCertificatesTests", ["PCMCertificates", "PCMCore", .swiftASN1, .x509]),
    test("PCMReceiverTests", ["PCMCore", "PCMReceiver", "PCMSignatures", "PCMTokens"]),
    pcmTestSupport("OpenSSLSupport", [.subprocess, .systemPackage]),
    test("PCMTokensTests", ["OpenSSLSupport", "PCMCore", "PCMTokens", .crypto, .cryptoExtras]),
    test("PCMSignaturesTests", ["OpenSSLSupport", "PCMCore", "PCMSignatures"]),
    test("PCMScenarioReadingTests", ["PCMCore", "PCMDelivery", "PCMScenario", "PCMSimulation", .yams]),
    test(
      "PCMScenarioTests",
      [
        "PCMApp", "PCMBrowser", "PCMCore", "PCMDelivery", "PCMHTTP", "PCMManifest", "PCMScenario", "PCMSimulation", "PCMSites",
        "PCMStore", "PCMTokens", "StoreContract",
        .logging, .nioConcurrencyHelpers,
      ]),
    test("FidelityTests", ["BrowserSupport", "PCMBrowser", "PCMCore", "PCMDelivery", "PCMSites"]),
    test("PCMManifestTests", ["PCMCore", "PCMManifest", "PCMSites"]),
    fuzzing([
      "PCMBrowser", "PCMCore", "PCMCurl", "PCMHTTP", "PCMManifest", "PCMScenario", "PCMSignatures", "PCMSites", "PCMTelemetry",
      "PCMTokens", .httpTypes, .hummingbird, .nioCore, .nioEmbedded, .nioHTTP1, .nioHTTPTypes, .nioHTTPTypesHTTP1,
    ]),
  ],
  cLanguageStandard: .c2x
)

/// The test targets to build, for `scripts/test --sanitize`: with a sanitizer, a build takes twice as long.
if let names = Context.environment["PCM_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { $0.isTest && !names.contains($0.name) }
}
