import Foundation
import PCMManifest
import PCMSites

/// The files under `Fixtures/manifests`.
enum Fixture {
  /// - Parameter name: a folder with an `Info.plist`, or a file.
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).appending(path: "../../../Fixtures/manifests").standardized
    return Array(try Data(contentsOf: folder.appending(path: name.hasSuffix(".plist") ? name : "\(name)/Info.plist")))
  }

  /// An XML fixture as a binary property list.
  static func binary(_ name: String) throws -> [UInt8] {
    let list = try PropertyListSerialization.propertyList(from: Data(bytes(name)), format: nil)
    return Array(try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
  }
}

let sites = SiteParser(publicSuffixList: .builtIn())
let reader = ManifestReader { text in try? sites.url(text) }

/// An XML property list around the inside of a dictionary.
func propertyList(_ keys: String, identifier: String = "<key>CFBundleIdentifier</key><string>com.example.app</string>")
  -> [UInt8]
{
  Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\(identifier)\(keys)</dict></plist>\n".utf8)
}
