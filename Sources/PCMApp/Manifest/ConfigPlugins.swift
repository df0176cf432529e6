import PCMCore
import PCMManifest

/// The options of config plugins and of packages in an app.json that reach the Info.plist when the app is built: lists of ad networks,
/// and the text of the prompt for permission to track.
struct ConfigPlugins {
  /// The keys of an Info.plist that options are.
  private(set) var keys: [JSON.Member] = []
  private var read: [String] = []
  private var unread: [String] = []
  private let isExpo: Bool

  private static let itemKey = "SKAdNetworkIdentifier"

  /// - Parameter isEvaluated: Whether the plugins have run, and their options count no more.
  init(_ json: JSON, isEvaluated: Bool) {
    isExpo = json["expo"] != nil || json["plugins"] != nil
    guard !isEvaluated, json["infoPlist"] == nil, !ManifestReader.isInfoPlist(json) else { return }
    if case .array(let plugins)? = (json["expo"] ?? json)["plugins"] {
      for plugin in plugins { add(plugin: plugin) }
    }
    // The members beside "expo", and in the app.json of an app without Expo, belong to packages.
    guard json["expo"] != nil || ["ios", "plugins", "slug"].allSatisfy({ json[$0] == nil }) else { return }
    for member in json.members where member.name != "expo" { add(member.name, member.value) }
  }

  /// Adds an element of `plugins`: a name, or a name with options.
  private mutating func add(plugin: JSON) {
    guard case .array(let parts) = plugin else {
      if let name = plugin.string { unread.append(name) }
      return
    }
    guard let name = parts.first?.string else { return }
    if !add(name, parts.dropFirst().first ?? .null) { unread.append(name) }
  }

  /// Returns whether an option of a package is a key of an Info.plist.
  @discardableResult private mutating func add(_ package: String, _ options: JSON) -> Bool {
    let found = Self.keys(in: options)
    guard !found.isEmpty else { return false }
    keys = Self.merged(keys, found)
    read.append(package)
    return true
  }

  private static func keys(in options: JSON) -> [JSON.Member] {
    options.members.flatMap { option -> [JSON.Member] in
      guard let key = ManifestReader.key(ofOption: option.name) else { return keys(in: option.value) }
      switch option.value {
      case .string: return [.init(key, option.value)]
      case .array(let items) where key == "SKAdNetworkItems":
        return [.init(key, .array(items.map { $0.string == nil ? $0 : [itemKey: $0] }))]
      case .array: return [.init(key, option.value)]
      default: return []
      }
    }
  }

  /// Returns the keys of an Info.plist as plugins leave them: they append to a list, and replace a text.
  func applied(to members: [JSON.Member]) -> [JSON.Member] { Self.merged(members, keys) }

  private static func merged(_ members: [JSON.Member], _ others: [JSON.Member]) -> [JSON.Member] {
    others.reduce(members) { members, other in
      guard let index = members.firstIndex(where: { $0.name == other.name }) else { return members + [other] }
      var merged = members
      if case (.array(let items), .array(let more)) = (members[index].value, other.value) {
        merged[index] = .init(other.name, .array(items + more))
      } else {
        merged[index] = other
      }
      return merged
    }
  }

  var notes: [ManifestFinding] {
    guard !read.isEmpty || !unread.isEmpty else { return [] }
    let names = keys.map(\.name).joined(separator: ", ")
    let sentences = [
      read.isEmpty ? nil : "\(names): read from the options of \(Self.list(read)), which reach the Info.plist \(time).",
      unread.isEmpty ? nil : "Config plugins can write more keys \(time), which are not read: \(Self.list(unread)).",
      isExpo
        ? "\"npx expo config --type introspect --json\" shows the result: save its output, and pass that."
        : "The Info.plist of the built app (MyApp.app) has the result.",
    ]
    return [ManifestFinding(.configPlugins, sentences.compactMap { $0 }.joined(separator: " "))]
  }

  private var time: String { isExpo ? "at prebuild" : "when the app is built" }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(5).map { $0.asShown(upTo: 80) }.joined(separator: ", ")
    return names.count > 5 ? "\(shown), and \(names.count - 5) more" : shown
  }
}
