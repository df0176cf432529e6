/// The allowed imports of a target. Unused allowances are removed.
struct ImportAllowance {
  let target: String
  /// Siblings, as the design's arrows say and the manifest declares.
  var siblings: Set<String> = []
  /// Products of other packages, as the manifest declares them.
  var products: Set<String> = []
  /// Modules that come with the system or the toolchain, which the manifest cannot say. `Foundation` contains the C library.
  var system: Set<String> = []

  var all: Set<String> { siblings.union(products).union(system) }
}

/// The arrows of the design. A row changes only together with a decision about knowledge between targets:
/// the core imports nothing at all; C is behind `PCMCurl`, `PCMURL`, and `PCMStorePostgres`; the web framework is behind
/// `PCMHTTP`; SQL is behind `PCMStoreSQLite` and `PCMStorePostgres`; no adapter knows another.
let importTable: [ImportAllowance] = [
  ImportAllowance(target: "PCMCore"),
  ImportAllowance(
    target: "PCMURL", siblings: ["PCMCore", "CCurl", "CPublicSuffix", "CPublicSuffixList", "CUnicode"], system: ["Foundation"]
  ),
  ImportAllowance(target: "PCMManifest", siblings: ["PCMCore", "PCMURL"], system: ["Foundation"]),
  ImportAllowance(
    target: "PCMCrypto", siblings: ["PCMCore", "COpenSSL"], products: ["Crypto", "CryptoExtras", "SwiftASN1", "X509"],
    system: ["Foundation"]),
  ImportAllowance(target: "PCMVerify", siblings: ["CZlib", "PCMCore", "PCMCrypto"], products: ["Crypto"]),
  ImportAllowance(target: "PCMStore", siblings: ["PCMCore"], products: ["NIOConcurrencyHelpers"]),
  ImportAllowance(
    target: "PCMStoreSQLite", siblings: ["PCMCore", "PCMStore"],
    products: ["DequeModule", "GRDB", "GRDBSQLite", "NIOConcurrencyHelpers"],
    system: ["Foundation", "Synchronization"]),
  ImportAllowance(
    target: "PCMStorePostgres", siblings: ["CLibPQ", "PCMCore", "PCMStore"],
    products: ["DequeModule", "NIOConcurrencyHelpers"], system: ["Foundation", "Synchronization"]),
  ImportAllowance(target: "PCMNetwork", siblings: ["PCMCore"], products: ["NIOConcurrencyHelpers"]),
  ImportAllowance(target: "PCMSimulatedSites", siblings: ["PCMCore", "PCMCrypto", "PCMNetwork"]),
  ImportAllowance(
    target: "PCMCurl", siblings: ["PCMCore", "PCMCrypto", "PCMNetwork", "CCurl", "COpenSSL"],
    products: ["NIOConcurrencyHelpers"],
    system: ["Foundation"]),
  ImportAllowance(
    target: "PCMDevTools", siblings: ["PCMCore"],
    products: ["NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"], system: ["Foundation"]),
  ImportAllowance(target: "PCMDevice", siblings: ["PCMCore", "PCMCrypto", "PCMVerify"]),
  ImportAllowance(
    target: "PCMBrowser",
    siblings: ["PCMCore", "PCMCrypto", "PCMDevice", "PCMManifest", "PCMURL", "PCMNetwork", "PCMSimulatedSites", "PCMStore"],
    // Foundation's JSON coders write and read the rows of the device.
    products: ["HeapModule", "NIOConcurrencyHelpers"], system: ["Foundation"]),
  ImportAllowance(
    target: "PCMScenario", siblings: ["COpenAPI", "PCMCore", "PCMCrypto", "PCMNetwork", "PCMSimulatedSites", "PCMVerify"],
    products: ["Yams"]),
  ImportAllowance(
    target: "PCMEndpoint", siblings: ["PCMCore", "PCMCrypto", "PCMURL", "PCMNetwork", "PCMVerify"],
    products: ["Crypto", "Histogram", "NIOConcurrencyHelpers"], system: ["Foundation"]),
  ImportAllowance(target: "PCMPages", siblings: ["CPageAssets", "PCMCore"]),
  ImportAllowance(
    target: "PCMRules", siblings: ["PCMBrowser", "PCMCore", "PCMDevice", "PCMEndpoint", "PCMManifest", "PCMNetwork"]),
  ImportAllowance(
    target: "PCMHTTP",
    siblings: [
      "COpenAPI", "CSwaggerUI", "CZlib", "PCMBrowser", "PCMCore", "PCMCrypto", "PCMDevTools", "PCMDevice", "PCMEndpoint",
      "PCMManifest",
      "PCMNetwork", "PCMPages", "PCMRules", "PCMScenario", "PCMSimulatedSites", "PCMStore", "PCMVerify",
    ],
    products: [
      "Crypto", "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "HummingbirdTLS", "HTTPTypes", "Logging",
      "NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOPosix", "NIOSSL", "ServiceLifecycle",
    ], system: ["Foundation"]),
  ImportAllowance(
    target: "PCMApp",
    siblings: [
      "CBuild", "CProcess", "PCMBrowser", "PCMCore", "PCMCrypto", "PCMCurl", "PCMDevTools", "PCMEndpoint", "PCMHTTP",
      "PCMManifest", "PCMURL",
      "PCMNetwork", "PCMPages", "PCMRules", "PCMScenario", "PCMSimulatedSites", "PCMStore", "PCMStorePostgres",
      "PCMStoreSQLite", "PCMVerify",
    ],
    products: [
      "ArgumentParser", "Logging", "NIOConcurrencyHelpers", "ServiceLifecycle", "UnixSignals",
    ],
    system: ["Foundation"]),
  ImportAllowance(target: "pcm-browser", siblings: ["PCMApp"]),
  // The package of the client has no dependencies. On Linux, URLSession is in a module apart from Foundation.
  ImportAllowance(target: "PCMClient", system: ["Foundation", "FoundationNetworking"]),
  ImportAllowance(target: "PCMTesting", siblings: ["PCMClient"], system: ["Foundation", "Testing", "XCTest"]),
  ImportAllowance(target: "PCMAppBridge", siblings: ["PCMClient"], system: ["Foundation", "SafariServices", "UIKit"]),
]
