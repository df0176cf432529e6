import PCMCore
import PCMReceiver

/// The standard output of `receive`: its address, and a line for each postback, or with `--json` for each request.
struct ReceiveOutput {
  /// As in a URL.
  let host: String
  /// The file with the certificate authority; nil for a certificate of the user.
  let authority: String?
  let isJSON: Bool

  func writeAddress(port: Int) {
    let url = "https://\(host):\(port)"
    guard isJSON else {
      let trust = authority.map { ", certificate authority in \($0)" } ?? ""
      return StandardOutput.write("pcm-browser receive is listening on \(url)\(trust)\n")
    }
    write(["kind": "listening", "url": .string(url), "certificateAuthority": .string(authority)])
  }

  func write(_ entry: Entry) {
    if isJSON { return write(entry.json) }
    // Many tests read only the first line of the output.
    if let line = PostbackLine(entry) { StandardOutput.writeIfReady(line.text + "\n") }
  }

  private func write(_ json: JSON) { StandardOutput.write(json.text.withoutSteering + "\n") }
}
