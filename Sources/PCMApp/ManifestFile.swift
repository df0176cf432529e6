import PCMManifest
import PCMSites

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An app's Info.plist on this machine.
enum ManifestFile {
  static func read(_ path: String, sites: SiteParser) throws -> AppManifest {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw StartFailure(description: "cannot read \(path); is it there, and may you read it?")
    }
    do throws(ManifestRefusal) {
      return try ManifestReader(parseURL: { try? sites.url($0) }).read(Array(data))
    } catch {
      throw StartFailure(description: "\(path): \(error.detail)")
    }
  }
}
