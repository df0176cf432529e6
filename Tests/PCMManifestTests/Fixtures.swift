import Foundation
import PCMManifest
import PCMURL

/// The files under `Fixtures/manifests`.
enum Fixture {
  /// - Parameter name: a folder with an `Info.plist`, or a file.
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).appending(path: "../../../Fixtures/manifests").standardized
    return Array(try Data(contentsOf: folder.appending(path: name.contains(".") ? name : "\(name)/Info.plist")))
  }

  /// An XML fixture as a binary property list.
  static func binary(_ name: String) throws -> [UInt8] {
    try binaryPropertyList(bytes(name))
  }
}

let sites = SiteParser(publicSuffixList: .builtIn())
let reader = ManifestReader(parseURL: { try? sites.url($0) }, isHosted: { sites.isHosted($0) })

/// An XML property list in the binary format. Each leading U+FEFF is doubled here, because Foundation drops one when it reads
/// a string.
func binaryPropertyList(_ xml: [UInt8]) throws -> [UInt8] {
  let doubled = String(decoding: xml, as: UTF8.self).replacing(">\u{FEFF}", with: ">\u{FEFF}\u{FEFF}")
  let list = try PropertyListSerialization.propertyList(from: Data(doubled.utf8), format: nil)
  return Array(try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
}

/// An XML property list around the inside of a dictionary.
func propertyList(_ keys: String, identifier: String = "<key>CFBundleIdentifier</key><string>com.example.app</string>")
  -> [UInt8]
{
  Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\(identifier)\(keys)</dict></plist>\n".utf8)
}
