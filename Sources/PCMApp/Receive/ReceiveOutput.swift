import PCMCore
import PCMEndpoint

/// The standard output of `receive`: its address, and a line for each report and each postback, or with `--json` for each request.
struct ReceiveOutput {
  /// As in a URL.
  let host: String
  /// The file with the certificate authority; nil for a certificate of the user.
  let authority: String?
  let isJSON: Bool

  func writeAddress(port: Int) throws {
    let url = "https://\(host):\(port)"
    guard isJSON else {
      let trust = authority.map { ", certificate authority in \($0)" } ?? ""
      return try StandardOutput.write("pcm-browser receive is listening on \(url)\(trust)\n")
    }
    try write(["kind": "listening", "url": .string(url), "certificateAuthority": .string(authority)])
  }

  func write(_ entry: Entry) throws {
    if isJSON { return try write(entry.json) }
    // Many tests read only the first line of the output.
    guard let line = ReportLine(entry)?.text ?? PostbackLine(entry)?.text else { return }
    StandardOutput.writeIfReady(line + "\n")
  }

  private func write(_ json: JSON) throws { try StandardOutput.write(json.text.withoutSteering + "\n") }
}
