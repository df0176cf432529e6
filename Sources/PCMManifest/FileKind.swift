/// A known kind of file that people pass in place of an Info.plist.
package struct FileKind: Hashable, Sendable {
  /// A clause about the file, and a sentence with the remedy.
  let detail: String

  private init(_ detail: String) { self.detail = detail }

  private static let remedy = "Pass the Info.plist of the built app (MyApp.app/Info.plist)."
  private static let buildSettings =
    "Xcode writes the build settings INFOPLIST_KEY_… and the keys of the file INFOPLIST_FILE in the Info.plist of the app."

  package static let zipArchive = Self(
    "The file is a ZIP archive, such as an .ipa, and not a property list. Unzip it, and pass the app in its folder Payload "
      + "(Payload/MyApp.app).")
  package static let gzipArchive = Self("The file is compressed with gzip, and not a property list. Unpack it first.")
  package static let executable = Self(
    "The file is an executable, not a property list. Pass the folder that contains it (MyApp.app), or the Info.plist in there.")
  package static let provisioningProfile = Self("The file is a provisioning profile, not a property list of an app. \(remedy)")
  package static let image = Self("The file is an image, not a property list. \(remedy)")
  package static let yaml = Self(
    "The file is YAML, such as the project.yml of XcodeGen, and not a property list. Generate the project, and pass the "
      + "Info.plist that it names.")
  package static let podfile = Self("The file is a Podfile, not a property list. \(remedy)")
  package static let fastfile = Self("The file is a Fastfile, not a property list. \(remedy)")
  package static let flutter = Self(
    "The file is the pubspec.yaml of Flutter, which contains no keys of a property list. Pass ios/Runner/Info.plist.")
  package static let bazel = Self(
    "The file is a build file of Bazel, not a property list. Pass the file that it names under infoplists, or the Info.plist of the "
      + "built app.")
  package static let xcodeProject = Self(
    "The file is an Xcode project (project.pbxproj), not the property list of an app. \(buildSettings) \(remedy)")
  package static let xcconfig = Self(
    "The file contains build settings (.xcconfig) and is not a property list. \(buildSettings) \(remedy)")
  package static let swift = Self("The file is Swift source code, not a property list. \(remedy)")
  package static let javaScript = Self(
    "The file is JavaScript, such as the app.config.js of Expo, and not a property list. Its ios.infoPlist and the options of "
      + "config plugins reach the Info.plist at prebuild. Save the output of \"npx expo config --type introspect --json\", which "
      + "shows the result, in a file, and pass that.")
  package static let capacitor = Self(
    "The file is the configuration of Capacitor, which contains no keys of a property list. Pass ios/App/App/Info.plist.")
  package static let unrealPlugin = Self(
    "The file is an Unreal Plugin Language file (UPL), not a property list. Unreal writes its iosPListUpdates in the Info.plist "
      + "when it packages the game. Pass the Info.plist of the packaged app (Payload/MyGame.app/Info.plist in the .ipa).")
  package static let iniFile = Self(
    "The file is a settings file, such as DefaultEngine.ini of Unreal or export_presets.cfg of Godot, and not a property list. The "
      + "engine writes AdditionalPlistData or additional_plist_content in the Info.plist when it packages the game. Pass the "
      + "Info.plist of the packaged app.")
  package static let cSharp = Self(
    "The file is C# source code, such as a build script of Unity, and not a property list. Unity runs it when it exports the "
      + "Xcode project. Pass the Info.plist of the exported project or of the built app.")
  package static let dotnet = Self(
    "The file is a project of .NET, not a property list. The build writes the Info.plist of the project, such as "
      + "Platforms/iOS/Info.plist of MAUI, in the app. \(remedy)")
  package static let strings = Self(
    "The file contains localized texts (InfoPlist.strings or InfoPlist.xcstrings), not a property list. Devices also need each key in the Info.plist. "
      + "\(remedy)")
  package static let androidManifest = Self(
    "The file is the manifest of an Android app, not a property list. Pass the Info.plist of the iOS app.")
  package static let cordovaConfiguration = Self(
    "The file is Cordova's config.xml, not a property list. Run \"cordova prepare ios\", and pass the Info.plist in "
      + "platforms/ios.")
  package static let cordovaPlugin = Self(
    "The file is the plugin.xml of Cordova, not a property list. Run \"cordova prepare ios\", and pass the Info.plist in "
      + "platforms/ios.")
  package static let titanium = Self(
    "The file is the tiapp.xml of Titanium, not a property list. Its ios/plist reaches the Info.plist at the build. \(remedy)")
  package static let interfaceBuilder = Self("The file is a document of Interface Builder, not a property list. \(remedy)")
  package static let propertyListFragment = Self(
    "The file is a part of a property list: its outermost element is not plist. Write <plist version=\"1.0\"><dict> before it "
      + "and </dict></plist> after it.")
  package static let entitlements = Self("The property list contains entitlements and is not an Info.plist. \(remedy)")
  package static let privacyManifest = Self(
    "The property list is a privacy manifest (PrivacyInfo.xcprivacy), not an Info.plist. \(remedy)")
  package static let exportOptions = Self(
    "The property list contains export options (ExportOptions.plist) and is not an Info.plist. \(remedy)")
  package static let googleService = Self(
    "The property list is Firebase's configuration (GoogleService-Info.plist), not an Info.plist. \(remedy)")
  package static let settingsBundle = Self("The property list belongs to a settings bundle and is not an Info.plist. \(remedy)")
  package static let workspaceSettings = Self(
    "The property list contains settings of Xcode and is not an Info.plist. \(remedy)")

  /// The kind of a file by its first bytes; nil for other files.
  init?(bytes: [UInt8]) {
    let signatures: [(bytes: [UInt8], kind: Self)] = [
      (Array("PK\u{03}\u{04}".utf8), .zipArchive), (Array("PK\u{05}\u{06}".utf8), .zipArchive), ([0x1F, 0x8B], .gzipArchive),
      ([0xCF, 0xFA, 0xED, 0xFE], .executable), ([0xCE, 0xFA, 0xED, 0xFE], .executable),
      ([0xCA, 0xFE, 0xBA, 0xBE], .executable), ([0x89] + Array("PNG".utf8), .image),
    ]
    if let match = signatures.first(where: { bytes.starts(with: $0.bytes) }) {
      self = match.kind
    } else if bytes.starts(with: [0x30, 0x82]), bytes.firstRange(of: "<plist".utf8) != nil {
      self = .provisioningProfile
    } else {
      return nil
    }
  }

  /// The kind of a text that does not begin with `<`; nil for other texts.
  init?(text: ArraySlice<UInt8>) {
    let text = String(decoding: text.prefix(4_096), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix(while: \.isWhitespace) }
    let code = lines.filter {
      !$0.isEmpty && !$0.hasPrefix("#") && !$0.hasPrefix("//") && !$0.hasPrefix("/*") && !$0.hasPrefix("*")
    }
    if text.contains("archiveVersion = "), text.contains("objects = {") || text.contains("objectVersion = ") {
      self = .xcodeProject
    } else if text.contains("@capacitor/cli") || text.contains("webDir:") {
      self = .capacitor
    } else if let first = code.first, first.wholeMatch(of: /\[[A-Za-z\/][\w\/.\s]*\]\s*/) != nil {
      self = .iniFile
    } else if code.contains(where: { $0.prefixMatch(of: /using\s+[\w.]+;/) != nil }) {
      self = .cSharp
    } else if let first = code.first, first.prefixMatch(of: /("[^"]+"|\w+)\s*=\s*".*";/) != nil {
      self = .strings
    } else if code.contains(where: { $0.prefixMatch(of: /(default_platform\(|(private_)?lane\s+:)/) != nil }) {
      self = .fastfile
    } else if code.contains(where: { $0.prefixMatch(of: /(load\("|(ios|apple)_\w+\()/) != nil }) {
      self = .bazel
    } else if text.contains("sdk: flutter") {
      self = .flutter
    } else if code.contains(where: {
      $0.prefixMatch(of: /(platform\s+:|pod\s+['"]|target\s+['"].*\bdo\b|source\s+['"]http)/) != nil
    }) {
      self = .podfile
    } else if code.contains(where: {
      $0.prefixMatch(
        of:
          /(module\.exports|exports?[\s.]|const\s|(async\s+)?function\s|import\s*['"{]|import\s.*\bfrom\s|.*\brequire\(|['"]use strict)/
      ) != nil
    }) {
      self = .javaScript
    } else if code.contains(where: { $0.prefixMatch(of: /(import\s+\w+$|@main|let\s+\w+|public\s|struct\s)/) != nil }) {
      self = .swift
    } else if let first = code.first, first.prefixMatch(of: /(---|[\w.-]+|"[^"]*")\s*:(\s|$)/) != nil || first == "---" {
      self = .yaml
    } else if let first = code.first, first.prefixMatch(of: /\w+(\[[^\]]*\])*\s*=/) != nil {
      self = .xcconfig
    } else {
      return nil
    }
  }

  /// The kind of an XML file by its outermost element; nil for other files.
  ///
  /// - Parameter text: The file.
  init?(rootElement name: String, in text: [UInt8]) {
    switch name {
    case "root" where text.firstRange(of: "iosPListUpdates".utf8) != nil || text.firstRange(of: "xmlns:android".utf8) != nil:
      self = .unrealPlugin
    case "plugin": self = .cordovaPlugin
    case "ti:app": self = .titanium
    case "Project": self = .dotnet
    case "manifest": self = .androidManifest
    case "widget": self = .cordovaConfiguration
    case "document": self = .interfaceBuilder
    case "dict", "key", "array", "string": self = .propertyListFragment
    default: return nil
    }
  }

  /// The kind of a property list by its keys; nil for an Info.plist and for unknown keys.
  init?(keys: [String]) {
    let keys = Set(keys)
    let isInfo = keys.contains { $0.hasPrefix("CFBundle") || $0.hasPrefix("LS") || $0.hasPrefix("UI") }
    guard !isInfo, keys.isDisjoint(with: KeyCatalog.topLevel.map(\.path)) else { return nil }
    let marks: [(keys: Set<String>, kind: Self)] = [
      (["aps-environment", "application-identifier", "get-task-allow", "keychain-access-groups"], .entitlements),
      (
        ["NSPrivacyTracking", "NSPrivacyTrackingDomains", "NSPrivacyAccessedAPITypes", "NSPrivacyCollectedDataTypes"],
        .privacyManifest
      ),
      (["signingStyle", "provisioningProfiles", "compileBitcode", "uploadSymbols"], .exportOptions),
      (["GOOGLE_APP_ID", "GCM_SENDER_ID", "REVERSED_CLIENT_ID"], .googleService),
      (["PreferenceSpecifiers"], .settingsBundle), (["archiveVersion", "objectVersion", "rootObject"], .xcodeProject),
      (
        ["IDEWorkspaceSharedSettings_AutocreateContextsIfNeeded", "BuildSystemType", "IDEDidComputeMac32BitWarning"],
        .workspaceSettings
      ),
    ]
    let isEntitlement = keys.contains { $0.hasPrefix("com.apple.") }
    guard let kind = marks.first(where: { !$0.keys.isDisjoint(with: keys) })?.kind ?? (isEntitlement ? .entitlements : nil)
    else { return nil }
    self = kind
  }
}
