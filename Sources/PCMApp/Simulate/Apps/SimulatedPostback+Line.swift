import PCMBrowser
import PCMCore

extension SimulatedPostback {
  /// Writes the postback as a line of JSON.
  ///
  /// - Parameter user: The name of the user as JSON.
  func write(of user: [UInt8], into bytes: inout [UInt8]) {
    bytes.append(contentsOf: #"{"user":"#.utf8)
    bytes.append(contentsOf: user)
    for (name, value) in members {
      bytes.append(contentsOf: #",""#.utf8)
      bytes.append(contentsOf: name.utf8)
      bytes.append(contentsOf: #"":"#.utf8)
      value.write(into: &bytes)
    }
    bytes.append(contentsOf: "}\n".utf8)
  }

  /// The members after the user. Bodies have some of them, under names that depend on the framework and its version.
  private var members: [(String, JSON)] {
    [
      ("recipient", .string(recipient.rawValue)), ("at", .string(at.text)), ("body", body), ("impression", .number(impression)),
      ("conversion", .number(conversion)), ("update", .number(update)), ("framework", .string(framework.rawValue)),
      ("adNetworkIdentifier", .string(adNetworkIdentifier)), ("bundleIdentifier", .string(bundleIdentifier)),
      ("sequenceIndex", .number(Int64(sequenceIndex))), ("didWin", .bool(didWin)),
    ]
  }
}
