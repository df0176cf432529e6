import PCMBrowser
import PCMCore
import PCMDevTools
import PCMDevice
import PCMManifest
import PCMNetwork
import PCMStore
import PCMURL

@testable import PCMBrowser
@testable import PCMCore

/// The values that the examples of the engine use.
///
/// `Tests/Documentation/examples.py` adds the examples.
struct Examples: Sendable {
  let store: any Store
  let newBrowser: NewBrowser
  let browserID: BrowserID
  let browser: Browser
  nonisolated(unsafe) let writer: any BrowserWriter
  let decisionState: DecisionState
  let now: Instant
  let tap: AppTap
  let event: DevToolsEvent
  let infoPlist: [UInt8]
}

/// The body of a new operation.
struct ReopenInput: OperationInput {
  var bundleIdentifier = ""

  static let name = "reopen"
  static let path = "/v1/devices/:device/reopenings"
  static let summary = "Opens an installed app again"
  static let definition = BodyDefinition<Self>(
    "A user opens an app again.", [.required("bundleIdentifier", \.bundleIdentifier, .text, "The bundle identifier of the app")]
  )
}
