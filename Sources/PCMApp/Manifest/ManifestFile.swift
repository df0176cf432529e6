import Foundation
import PCMCore
import PCMManifest
import PCMURL

/// An app's manifest on this machine: an Info.plist, the folder of an app, or an app.json of Expo.
enum ManifestFile {
  static func review(_ path: String, sites: SiteParser) throws(StartError) -> ManifestReview {
    let (file, bytes) = try contents(of: path)
    let configuration = isJSON(bytes) ? try AppConfiguration(bytes, file: file) : nil
    let reader = ManifestReader(sites: sites)
    do throws(ManifestError) {
      guard let configuration else { return try reader.review(bytes) }
      return reader.review(infoPlist: configuration.infoPlist, notes: configuration.notes)
    } catch {
      throw StartError(description: "\(file): \(error.detail)")
    }
  }

  /// Returns the bytes of a file, of the Info.plist in a folder, or of standard input, with the name of the file.
  private static func contents(of path: String) throws(StartError) -> (file: String, bytes: [UInt8]) {
    let limit = ManifestReader.sizeLimit
    let hint = "name the Info.plist of an app, XML or binary, or the app itself (MyApp.app)"
    if path.hasSuffix(".xcodeproj"), FolderFiles.isFolder(path) {
      throw StartError(description: "\(path): \(ManifestError.otherFile(.xcodeProject).detail)")
    }
    do throws(StartError) {
      guard path != "-" else {
        let bytes = try TextFile.standardInput(upTo: limit + 1)
        guard bytes.count <= limit else { throw StartError(description: "standard input is larger than \(limit) bytes") }
        return ("standard input", bytes)
      }
      guard FolderFiles.isFolder(path), !path.isEmpty else { return (path, try TextFile.contents(path, upTo: limit)) }
      let names = ["Info.plist", "Contents/Info.plist"].map { "\(path)\(path.hasSuffix("/") ? "" : "/")\($0)" }
      guard let file = names.first(where: TextFile.exists) else {
        throw StartError(description: "cannot read \(path): it is a folder without \(names.joined(separator: " and "))")
      }
      return (file, try TextFile.contents(file, upTo: limit))
    } catch {
      throw StartError(description: "\(error.description); \(hint)")
    }
  }

  /// Whether a file is JSON, or meant to be, and not an old-style property list.
  private static func isJSON(_ bytes: [UInt8]) -> Bool {
    let text = bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return false }
    let separator = text.first { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }
    return separator != UInt8(ascii: "=")
  }
}

extension ManifestReader {
  init(sites: SiteParser) {
    self.init(parseURL: { try? sites.url($0) }, isHosted: { sites.isHosted($0) })
  }
}

/// The keys of an Info.plist in JSON: in the configuration of an Expo app, in a registration of the API, or by themselves.
struct AppConfiguration {
  let infoPlist: JSON
  let notes: [ManifestFinding]

  /// - Parameter file: The name of the file, for errors.
  init(_ bytes: [UInt8], file: String) throws(StartError) {
    let text = Array(bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0))
    guard let json = JSON(parsing: text, keepingNumbers: true) else {
      throw StartError(description: "\(file): \(Self.problem(in: text))")
    }
    let expo = json["expo"] ?? json
    // The result of config plugins, in the output of "npx expo config --type introspect --json".
    let result = expo["_internal"]?["modResults"]?["ios"]?["infoPlist"]
    let plugins = ConfigPlugins(json, isEvaluated: result != nil)
    notes = plugins.notes
    let isCapacitor = Self.isCapacitor(json)
    guard !isCapacitor, let ios = expo["ios"] ?? json["expo"].map({ _ in JSON.object([]) }) else {
      infoPlist = isCapacitor || plugins.keys.isEmpty ? try Self.plainKeys(json, file: file) : .object(plugins.keys)
      return
    }
    let place = json["expo"] == nil ? "ios.infoPlist" : "expo.ios.infoPlist"
    guard case .object(let keys) = result ?? ios["infoPlist"] ?? .object([]) else {
      throw StartError(description: "\(file): \(place) must be an object with the keys of an Info.plist")
    }
    if ios["infoPlist"] == nil, let name = Self.misplaced(expo, ios) {
      throw StartError(description: "\(file): \(name) has no effect. Move it to \(place)")
    }
    let identifier = AppRegistration.bundleIdentifierKey
    let written = keys.first { $0.name == identifier }
    let name = written == nil || written?.value.string?.hasBuildSetting == true ? ios["bundleIdentifier"]?.string : nil
    let named = name.map { name in [.init(identifier, .string(name))] + keys.filter { $0.name != identifier } } ?? keys
    infoPlist = .object(plugins.applied(to: named))
  }

  /// Returns the member of an Expo app that belongs to the Info.plist, or that is meant to be it; nil for none.
  private static func misplaced(_ expo: JSON, _ ios: JSON) -> String? {
    let keys = (expo.members + ios.members).map(\.name)
    return keys.first { $0 == "infoPlist" || ManifestReader.isInfoPlist(.object([.init($0, .null)])) }
  }

  private static func isCapacitor(_ json: JSON) -> Bool {
    json["appId"] != nil && (json["webDir"] != nil || json["appName"] != nil)
  }

  private static func plainKeys(_ json: JSON, file: String) throws(StartError) -> JSON {
    if case .object? = json["infoPlist"], let keys = json["infoPlist"] { return keys }
    if ManifestReader.isInfoPlist(json) { return json }
    let names = Set(json.members.map(\.name))
    let advice =
      if names.contains("dependencies") || names.contains("devDependencies") {
        "it is the package.json of a project. Name the Info.plist of the app, or the app.json of Expo"
      } else if isCapacitor(json) {
        "it is the configuration of Capacitor, which contains no keys of an Info.plist. Name ios/App/App/Info.plist"
      } else if names.isSuperset(of: ["sourceLanguage", "strings"]) {
        ManifestError.otherFile(.strings).detail
      } else if names.isSuperset(of: ["objects", "rootObject"]) {
        ManifestError.otherFile(.xcodeProject).detail
      } else {
        "it is JSON without expo.ios.infoPlist and without the keys of an Info.plist. Name the Info.plist of the app"
      }
    throw StartError(description: "\(file): \(advice)")
  }

  private static func problem(in text: [UInt8]) -> String {
    guard let position = JSON.firstError(in: text) else {
      return "it is JSON with a member that occurs twice, or with more than \(JSON.depthLimit) levels. Correct it"
    }
    let place = TextPlace(of: position, in: text)
    return "line \(place.line), column \(place.column): it is not JSON from here on. Correct it, or save the output of "
      + "\"npx expo config --type introspect --json\""
  }
}
