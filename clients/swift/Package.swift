// swift-tools-version:6.2
import PackageDescription

/// The client library. It has a manifest apart from the service's, so that a test that uses it builds nothing else.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "pcm-client",
  platforms: [.macOS(.v13), .iOS(.v15)],
  products: [
    .library(name: "PCMClient", targets: ["PCMClient"])
  ],
  targets: [
    .target(name: "PCMClient", swiftSettings: strict)
  ]
)
