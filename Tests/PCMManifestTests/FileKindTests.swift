import Foundation
import PCMManifest
import Testing

/// Files of other kinds, and markup with mistakes.
@Suite struct FileKindTests {
  private static let plist = "<plist version=\"1.0\"><dict>"

  @Test(
    "A file of a known kind is named",
    arguments: [
      ("PK\u{03}\u{04}abc", FileKind.zipArchive), ("name: App\ntargets:\n  App:\n    type: application\n", .yaml),
      ("# comment\nname: App\n", .yaml), ("---\nname: App\n", .yaml),
      ("# Uncomment\nplatform :ios, '14.0'\n\ntarget 'App' do\n  use_frameworks!\nend\n", .podfile),
      ("default_platform(:ios)\nplatform :ios do\n  lane :beta do\n  end\nend\n", .fastfile),
      ("load(\"@build_bazel_rules_apple//apple:ios.bzl\", \"ios_application\")\n", .bazel),
      ("name: shop\ndependencies:\n  flutter:\n    sdk: flutter\n", .flutter),
      ("<Project Sdk=\"Microsoft.NET.Sdk\"></Project>", .dotnet),
      ("require_relative '../x'\nplatform :ios, min_ios_version_supported\n", .podfile),
      ("// !$*UTF8*$!\n{\n\tarchiveVersion = 1;\n\tobjectVersion = 56;\n}\n", .xcodeProject),
      ("#include \"Other.xcconfig\"\nPRODUCT_BUNDLE_IDENTIFIER = com.example.app\n", nil),
      ("// Settings\nPRODUCT_BUNDLE_IDENTIFIER = com.example.app\n", .xcconfig),
      ("import ProjectDescription\n\nlet project = Project(name: \"App\")\n", .swift),
      ("module.exports = { expo: {} };\n", .javaScript),
      ("import 'dotenv/config';\nexport default ({ config }) => ({ ...config });\n", .javaScript),
      ("var version = require('./package.json').version;\n", .javaScript),
      ("import { CapacitorConfig } from '@capacitor/cli';\n", .capacitor),
      (
        "<root xmlns:android=\"http://schemas.android.com/apk/res/android\">\n<iosPListUpdates></iosPListUpdates></root>",
        .unrealPlugin
      ),
      ("[/Script/IOSRuntimeSettings.IOSRuntimeSettings]\nAdditionalPlistData=<key>SKAdNetworkItems</key><array/>\n", .iniFile),
      ("[preset.0]\n\nname=\"iOS\"\n", .iniFile), ("<ti:app xmlns:ti=\"http://ti.appcelerator.org\"/>", .titanium),
      ("<plugin id=\"a\"/>", .cordovaPlugin), ("using UnityEditor;\nusing UnityEditor.iOS.Xcode;\n", .cSharp),
      ("/* text */\nNSUserTrackingUsageDescription = \"To measure ads.\";\n", .strings),
      ("\"NSUserTrackingUsageDescription\" = \"To measure ads.\";\n", .strings),
      (plist + "<key>archiveVersion</key><string>1</string><key>objects</key><dict/></dict></plist>", .xcodeProject),
      ("import { ExpoConfig } from 'expo/config';\n", .javaScript),
      ("export default {\n  expo: {}\n};\n", .javaScript),
      ("<?xml version='1.0'?>\n<manifest package=\"a\"/>", .androidManifest),
      ("<?xml version='1.0' encoding='utf-8'?>\n<widget id=\"com.example.app\"></widget>", .cordovaConfiguration),
      ("<document type=\"com.apple.InterfaceBuilder3.CocoaTouch.XIB\"/>", .interfaceBuilder),
      ("<key>NSAdvertisingAttributionReportEndpoint</key>\n<string>https://a.example</string>", .propertyListFragment),
      (plist + "<key>aps-environment</key><string>production</string></dict></plist>", .entitlements),
      (plist + "<key>com.apple.developer.associated-domains</key><array/></dict></plist>", .entitlements),
      (plist + "<key>NSPrivacyTracking</key><false/></dict></plist>", .privacyManifest),
      (
        plist + "<key>method</key><string>ad-hoc</string><key>signingStyle</key><string>manual</string></dict></plist>",
        .exportOptions
      ),
      (plist + "<key>GOOGLE_APP_ID</key><string>1:2</string></dict></plist>", .googleService),
      (plist + "<key>PreferenceSpecifiers</key><array/></dict></plist>", .settingsBundle),
    ] as [(String, FileKind?)])
  func kind(_ text: String, _ kind: FileKind?) {
    let error = #expect(throws: ManifestError.self) { try reader.review(Array(text.utf8)) }
    guard let kind else { return }
    #expect(error == .otherFile(kind), "\(text)")
    let detail = ManifestError.otherFile(kind).detail
    #expect(detail.contains("roperty list") && detail.hasSuffix("."), "\(detail)")
  }

  @Test("A file of another kind leads to the place of its values")
  func place() {
    #expect(ManifestError.otherFile(.unrealPlugin).detail.contains("iosPListUpdates in the Info.plist"))
    #expect(ManifestError.otherFile(.iniFile).detail.contains("AdditionalPlistData"))
  }

  @Test("Executables, profiles, and archives are named by their first bytes")
  func bytes() throws {
    let profile = [0x30, 0x82, 0x01, 0x02] as [UInt8] + Array("<?xml?><plist>".utf8)
    for (bytes, kind) in [
      ([0xCF, 0xFA, 0xED, 0xFE, 0, 0], .executable), ([0xCA, 0xFE, 0xBA, 0xBE, 0], .executable),
      ([0x1F, 0x8B, 8], .gzipArchive),
      (profile, .provisioningProfile),
    ] as [([UInt8], FileKind)] {
      #expect(throws: ManifestError.otherFile(kind)) { try reader.review(bytes) }
    }
  }

  @Test(
    "A mistake in the markup has its line, its column, and the cause",
    arguments: [
      ("<key>a</key>\n  <string>https:\n</dict>", 2, 17, .cutAtSlashes(scheme: "https")),
      ("<key>a</key>\n<string>see http:", 2, 18, .cutAtSlashes(scheme: "http")),
      ("<key>a</key>\n<string>b\n<key>c</key>", 3, 1, .tagInText(tag: "key", element: "string", openedAt: 2)),
      ("<key>a</key>\n<string>b</strng>", 2, 10, .wrongClosingTag(found: "strng", element: "string", openedAt: 2)),
      ("<key>a</key>\n<key>b</key><true/>", 2, 1, .keyWithoutValue("a")),
      ("<key>a</key>\n</dict></plist>", 2, 1, .keyWithoutValue("a")),
      ("\n<string>b</string>", 2, 1, .valueWithoutKey(element: "string")),
      ("<key>a</key>\nhello<true/>", 2, 1, .text("hello")),
      ("<key>a</key>\n<string>é https://a.example?b=1&c=2</string>", 2, 32, .ampersand),
      ("<key>a</key>\n<string>a & b</string>", 2, 11, .ampersand),
      ("<key>a</key>\n<string>&nbsp;</string>", 2, 9, .unknownEntity("nbsp")),
      ("<key>a</key>\n<integer>$(BUILD)</integer>", 2, 1, .invalidValue("$(BUILD)", element: "integer")),
      ("\n#include \"other.plist\"\n", 2, 1, .directive("#include")),
      ("<key>a</key>\n#  else\n<true/>", 2, 1, .directive("#else")),
      ("<key>a</key>\n<<<<<<< HEAD\n<true/>", 2, 1, .mergeConflict), ("<key>a</key>\n=======\n<true/>", 2, 1, .mergeConflict),
      ("<key>a</key>\n<!-- see https:\n<key>b</key>", 2, 16, .cutAtSlashes(scheme: "https")),
      ("<key>a</key>\n<!-- b", 2, 7, .endOfFile(inside: "a comment, which begins in line 2")),
      ("<key>a</key>\r\n<Array/>", 2, 1, .unknownElement("Array")),
    ] as [(String, Int, Int, XMLProblem.Cause)])
  func mistake(_ keys: String, _ line: Int, _ column: Int, _ cause: XMLProblem.Cause) {
    let text = "<plist><dict>" + keys
    #expect(throws: ManifestError.malformedXML(XMLProblem(line: line, column: column, cause)), "\(text)") {
      try reader.review(Array(text.utf8))
    }
    // The text before the property list counts for the place.
    let head = "\u{FEFF}<?xml version=\"1.0\"\n encoding=\"UTF-8\"?>\n\n"
    let error = #expect(throws: ManifestError.self) { try reader.review(Array((head + text).utf8)) }
    guard case .malformedXML(let problem) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problem.line == line + 3 && problem.column == column, "\(problem)")
  }

  @Test("The output of a preprocessor is named")
  func preprocessed() {
    let text = "# 1 \"Info.plist\"\n# 1 \"<built-in>\" 1\n<plist><dict/></plist>"
    #expect(throws: ManifestError.malformedXML(XMLProblem(line: 1, column: 1, .directive("#")))) {
      try reader.review(Array(text.utf8))
    }
  }

  @Test("A rejection by Foundation has its line", arguments: ["<real>x</real>", "<date>2026</date>", "<integer>--</integer>"])
  func rejected(_ value: String) throws {
    let text = "<?xml version=\"1.0\"?>\n<plist><dict>\n<key>a</key>\n\(value)\n</dict></plist>"
    let error = #expect(throws: ManifestError.self) { try reader.review(Array(text.utf8)) }
    guard case .malformedXML(let problem) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect((3...5).contains(problem.line), "\(problem)")
  }
}
