import Foundation

/// The folder for the temporary files of a command, which only its user may read.
enum CommandFolder {
  /// Creates a folder and returns its path.
  static func create(for command: String) throws(StartError) -> String {
    let parent = FileManager.default.temporaryDirectory
    let folder = parent.appendingPathComponent("pcm-browser-\(command)-\(SystemChance.seed())").path
    guard mkdir(folder, 0o700) == 0 else {
      let reason = String(cString: strerror(errno))
      throw StartError(description: "cannot create a folder in \(parent.path): \(reason); choose another one with TMPDIR")
    }
    return folder
  }
}
