/// What one target may import. Each allowance is used somewhere in the target, or it is taken back.
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

/// The arrows of the design. A row changes only together with a decision about who may know what:
/// the core imports nothing at all; C is behind `PCMCurl` and `PCMSites`; the web framework is behind `PCMHTTP`; SQL is
/// behind `PCMStoreSQLite`; no adapter knows another.
let importTable: [ImportAllowance] = [
  ImportAllowance(target: "PCMCore"),
  ImportAllowance(
    target: "PCMSites", siblings: ["PCMCore", "CCurl", "CPublicSuffix", "CPublicSuffixList", "CUnicode"], system: ["Foundation"]
  ),
  ImportAllowance(target: "PCMManifest", siblings: ["PCMCore"], system: ["Foundation"]),
  ImportAllowance(target: "PCMTokens", siblings: ["PCMCore"], products: ["Crypto", "CryptoExtras", "SwiftASN1"]),
  ImportAllowance(target: "PCMSignatures", siblings: ["PCMCore", "COpenSSL"], products: ["Crypto", "SwiftASN1"]),
  ImportAllowance(target: "PCMDevice", siblings: ["PCMCore", "PCMSignatures"]),
  ImportAllowance(target: "PCMReceiver", siblings: ["PCMCore", "PCMSignatures", "PCMTokens"]),
  ImportAllowance(target: "PCMStore", siblings: ["PCMCore"], products: ["NIOConcurrencyHelpers"]),
  ImportAllowance(
    target: "PCMStoreSQLite", siblings: ["PCMCore", "PCMStore"],
    products: ["DequeModule", "GRDB", "GRDBSQLite", "NIOConcurrencyHelpers"],
    system: ["Foundation", "Synchronization"]),
  ImportAllowance(target: "PCMDelivery", siblings: ["PCMCore"]),
  ImportAllowance(
    target: "PCMCurl", siblings: ["PCMCertificates", "PCMCore", "PCMDelivery", "CCurl", "COpenSSL"],
    products: ["NIOConcurrencyHelpers"],
    system: ["Foundation"]),
  ImportAllowance(target: "PCMSimulation", siblings: ["PCMCore", "PCMDelivery", "PCMSignatures", "PCMTokens"]),
  ImportAllowance(
    target: "PCMBrowser",
    siblings: [
      "PCMCore", "PCMSites", "PCMManifest", "PCMStore", "PCMDelivery", "PCMDevice", "PCMSignatures", "PCMSimulation",
      "PCMTokens",
    ],
    products: ["NIOConcurrencyHelpers"], system: ["Foundation"]),
  ImportAllowance(
    target: "PCMTelemetry", siblings: ["PCMCore", "PCMStore", "PCMDelivery"],
    products: ["Logging", "NIOConcurrencyHelpers"]),
  ImportAllowance(
    target: "PCMScenario", siblings: ["COpenAPI", "PCMCore", "PCMDelivery", "PCMSignatures", "PCMSimulation", "PCMTokens"],
    products: ["Yams"]),
  ImportAllowance(
    target: "PCMCheck", siblings: ["PCMCertificates", "PCMCore", "PCMSites", "PCMDelivery", "PCMSignatures", "PCMTokens"],
    products: ["Crypto"], system: ["Foundation"]),
  ImportAllowance(target: "PCMPages", siblings: ["PCMCore"]),
  ImportAllowance(
    target: "PCMCertificates", siblings: ["PCMCore"], products: ["Crypto", "SwiftASN1", "X509"], system: ["Foundation"]),
  ImportAllowance(
    target: "PCMHTTP",
    siblings: [
      "COpenAPI", "CSwaggerUI", "PCMCore", "PCMBrowser", "PCMDevice", "PCMManifest", "PCMPages", "PCMReceiver", "PCMScenario",
      "PCMSignatures", "PCMSimulation", "PCMStore", "PCMTelemetry", "PCMTokens",
    ],
    products: [
      "Crypto", "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "HummingbirdTLS", "HTTPTypes", "Logging",
      "NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOPosix", "NIOSSL", "ServiceLifecycle",
    ], system: ["Foundation"]),
  ImportAllowance(
    target: "PCMApp",
    siblings: [
      "PCMCore", "PCMSites", "PCMManifest", "PCMStore", "PCMStoreSQLite", "PCMDelivery", "PCMCurl", "PCMBrowser", "PCMHTTP",
      "PCMCertificates", "PCMCheck", "PCMPages", "PCMReceiver", "PCMScenario", "PCMSignatures", "PCMSimulation",
      "PCMTelemetry", "PCMTokens",
    ],
    products: [
      "ArgumentParser", "AsyncHTTPClient", "Logging", "NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1",
      "ServiceLifecycle", "UnixSignals",
    ],
    system: ["Foundation"]),
  ImportAllowance(target: "pcm-browser", siblings: ["PCMApp"]),
  ImportAllowance(
    target: "PCMClient", siblings: ["PCMCore"], products: ["AsyncHTTPClient", "NIOCore", "NIOHTTP1"], system: ["Foundation"]),
]
