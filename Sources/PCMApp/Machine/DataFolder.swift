import Foundation

/// The folder of the durable browsers.
enum DataFolder {
  /// Returns the path of the database in a folder.
  static func database(in folder: String) -> String { folder + "/pcm-browser.sqlite" }

  /// Creates the folder for its owner only, and its parents. An existing folder keeps its mode.
  ///
  /// SQLite synchronizes the names of its files in the folder. The names of the folder and of its parents are synchronized
  /// here: otherwise, a power loss could remove the folder with everything in it.
  static func create(_ path: String) throws {
    let created = sequence(first: URL(fileURLWithPath: path), next: { $0.deletingLastPathComponent() })
      .prefix { !FolderFiles.isFolder($0.path) }
    guard !created.isEmpty else { return }
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for folder in created { synchronize(folder.deletingLastPathComponent().path) }
  }

  /// Does nothing if the folder cannot be read, or if its file system cannot synchronize folders.
  private static func synchronize(_ path: String) {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
