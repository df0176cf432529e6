import Foundation
import PCMClient

/// The page of a browser, as a file in the folder `pcm-traces`.
struct TraceFile {
  /// The name of the file, after the name of the browser, which differs among parallel tests.
  let name: String
  let text: String

  /// Requests the trace; nil when the service has none. That fails no test, and is a line of the output.
  init?(of browser: Browser) async {
    let scalars = browser.name.unicodeScalars.map { scalar -> Character in
      scalar.isASCII && scalar.properties.isAlphabetic || "0"..."9" ~= scalar || scalar == "_" ? Character(scalar) : "-"
    }
    name = String(scalars.prefix(100)) + ".html"
    do {
      text = try await browser.trace()
    } catch {
      print("pcm-browser: no trace of \(browser.name): \(error)")
      return nil
    }
  }

  /// Writes the file. A test of an app has no folder for it, and an attachment in its place.
  func write() {
    let folder = URL(fileURLWithPath: "pcm-traces", isDirectory: true)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard (try? Data(text.utf8).write(to: folder.appendingPathComponent(name))) != nil else { return }
    print("pcm-browser trace: pcm-traces/\(name)")
  }
}
