import PCMBrowser
import PCMCore

extension SimulatedPostback {
  /// Writes the postback as a line of JSON.
  ///
  /// - Parameter user: The name of the user as JSON.
  func write(of user: [UInt8], into bytes: inout [UInt8]) {
    bytes.append(contentsOf: #"{"user":"#.utf8)
    bytes.append(contentsOf: user)
    bytes.append(contentsOf: #","recipient":""#.utf8)
    bytes.append(contentsOf: recipient.rawValue.utf8)
    bytes.append(contentsOf: #"","at":""#.utf8)
    at.write(into: &bytes)
    bytes.append(contentsOf: #"","body":"#.utf8)
    body.write(into: &bytes)
    writeLines(into: &bytes)
    // Bodies have some of these members, under names that depend on the framework and its version.
    bytes.append(contentsOf: #","framework":""#.utf8)
    bytes.append(contentsOf: framework.rawValue.utf8)
    bytes.append(contentsOf: #"","adNetworkIdentifier":"#.utf8)
    JSON.write(adNetworkIdentifier, into: &bytes)
    bytes.append(contentsOf: #","bundleIdentifier":"#.utf8)
    JSON.write(bundleIdentifier, into: &bytes)
    bytes.append(contentsOf: #","sequenceIndex":"#.utf8)
    JSON.write(Int64(sequenceIndex), into: &bytes)
    bytes.append(contentsOf: didWin ? #","didWin":true}"#.utf8 : #","didWin":false}"#.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  private func writeLines(into bytes: inout [UInt8]) {
    bytes.append(contentsOf: #","impression":"#.utf8)
    JSON.write(impression, into: &bytes)
    bytes.append(contentsOf: #","conversion":"#.utf8)
    JSON.write(conversion, into: &bytes)
    bytes.append(contentsOf: #","update":"#.utf8)
    if let update { JSON.write(update, into: &bytes) } else { bytes.append(contentsOf: "null".utf8) }
  }
}
