// swift-tools-version:6.2
import PackageDescription

let package = Package(
  name: "checkout",
  // In a folder beside the checkout of pcm-browser.
  dependencies: [.package(name: "pcm-client", path: "../pcm-browser/clients/swift")],
  targets: [
    .testTarget(
      name: "CheckoutTests",
      dependencies: [.product(name: "PCMClient", package: "pcm-client"), .product(name: "PCMTesting", package: "pcm-client")])
  ]
)
