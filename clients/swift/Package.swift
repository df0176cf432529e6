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
    .library(name: "PCMClient", targets: ["PCMClient"]),
    .library(name: "PCMAppBridge", targets: ["PCMAppBridge"]),
    .library(name: "PCMTesting", targets: ["PCMTesting"]),
  ],
  targets: [
    .target(name: "PCMClient", swiftSettings: strict),
    // For tests with Swift Testing and XCTest.
    .target(name: "PCMTesting", dependencies: ["PCMClient"], swiftSettings: strict),
    // For debug builds of apps. Without UIKit, it is empty.
    .target(name: "PCMAppBridge", dependencies: ["PCMClient"], swiftSettings: strict),
  ]
)

// With PCM_STAND_INS, for the tests of the bridge on Linux, Apple's frameworks are modules with the declarations that it uses.
if Context.environment["PCM_STAND_INS"] != nil {
  let standIns = ["UIKit", "SafariServices"]
  package.targets.first { $0.name == "PCMAppBridge" }?.dependencies += standIns.map { .target(name: $0) }
  package.targets += [
    .target(name: "UIKit", path: "Tests/UIKit", swiftSettings: strict),
    .target(name: "SafariServices", dependencies: ["UIKit"], path: "Tests/SafariServices", swiftSettings: strict),
    // Testing would look for its additions to UIKit, which only Apple's platforms have.
    .testTarget(
      name: "AppBridgeTests", dependencies: ["PCMAppBridge", "PCMClient", "SafariServices", "UIKit"],
      swiftSettings: strict + [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]),
  ]
}
