extension AppAdAttribution {
  /// Reads what ``json`` writes; `copyEndpoint` lacks its user information. Returns nil for any other value.
  package init?(json: JSON) {
    do throws(DamagedValue) { try self.init(reading: json) } catch { return nil }
  }

  private init(reading json: JSON) throws(DamagedValue) {
    self.init()
    try json.requireMembers(of: self.json)
    skAdNetworkIdentifiers = try json.texts("skAdNetworkIdentifiers")
    adNetworkIdentifiers = try json.texts("adNetworkIdentifiers")
    skAdNetworkCopySite = try json.copySite("skAdNetworkCopyURL", .skadnetwork)
    copyEndpoint = try json.optionalText("attributionCopyEndpoint")
    adAttributionKitCopySite = try json.copySite("adAttributionKitCopyURL", .adattributionkit)
    try read(windows: json["attributionWindows"] ?? .null, like: self.json["attributionWindows"] ?? .null)
    cooldowns = try Cooldowns(reading: json["attributionCooldowns"] ?? .null)
    hasOverlappingConversions = try json.flag("overlappingConversions")
    copiesReengagementPostbacks = try json.flag("reengagementPostbackCopies")
  }

  private mutating func read(windows json: JSON, like example: JSON) throws(DamagedValue) {
    try json.requireMembers(of: example)
    globalWindows = try Windows(reading: json["global"] ?? .null)
    guard case .array(let items)? = json["networks"] else { throw DamagedValue() }
    var last: String?
    for item in items {
      let (name, windows) = try Windows.named(item)
      if let last, last >= name { throw DamagedValue() }
      networkWindows[name] = windows
      last = name
    }
  }
}

extension AppAdAttribution.Windows {
  fileprivate init(reading json: JSON) throws(DamagedValue) {
    self.init()
    try json.requireMembers(of: .object(members))
    try read(json)
  }

  /// Reads the windows of a network with its name.
  fileprivate static func named(_ json: JSON) throws(DamagedValue) -> (name: String, Self) {
    var windows = Self()
    try json.requireMembers(of: windows.json(of: ""))
    try windows.read(json)
    if let text = try json.optionalText("ignoredInteractionType") {
      guard let interaction = InteractionType(rawValue: text) else { throw DamagedValue() }
      windows.ignoredInteraction = interaction
    }
    guard let name = json["adNetworkIdentifier"]?.string else { throw DamagedValue() }
    return (name, windows)
  }

  private mutating func read(_ json: JSON) throws(DamagedValue) {
    click = try json.interval("click", in: Self.clickDays, of: .days(1))
    view = try json.interval("view", in: Self.viewDays, of: .days(1))
  }
}

extension AppAdAttribution.Cooldowns {
  fileprivate init(reading json: JSON) throws(DamagedValue) {
    self.init()
    try json.requireMembers(of: self.json)
    install = try json.interval("install", in: Self.hours, of: .hours(1))
    reengagement = try json.interval("reengagement", in: Self.hours, of: .hours(1))
  }
}

private struct DamagedValue: Error {}

extension JSON {
  /// Throws unless the value has the members of an example, in its order.
  fileprivate func requireMembers(of example: JSON) throws(DamagedValue) {
    guard members.map(\.name) == example.members.map(\.name) else { throw DamagedValue() }
  }

  fileprivate func texts(_ name: String) throws(DamagedValue) -> [String] {
    guard case .array(let items)? = self[name] else { throw DamagedValue() }
    let texts = items.compactMap(\.string)
    guard texts.count == items.count else { throw DamagedValue() }
    return texts
  }

  fileprivate func optionalText(_ name: String) throws(DamagedValue) -> String? {
    switch self[name] {
    case .null?: return nil
    case .string(let text)?: return text
    default: throw DamagedValue()
    }
  }

  fileprivate func copySite(_ name: String, _ framework: AdFramework) throws(DamagedValue) -> Site? {
    guard let url = try optionalText(name) else { return nil }
    guard let site = framework.site(ofCopyURL: url) else { throw DamagedValue() }
    return site
  }

  /// Reads a duration that is a multiple of a unit.
  fileprivate func interval(
    _ name: String, in range: ClosedRange<Int>, of unit: Interval
  ) throws(DamagedValue) -> Interval {
    guard let text = self[name]?.string, let interval = Interval(text: text), interval.text == text,
      interval.milliseconds.isMultiple(of: unit.milliseconds),
      range.contains(Int(interval.milliseconds / unit.milliseconds))
    else { throw DamagedValue() }
    return interval
  }

  fileprivate func flag(_ name: String) throws(DamagedValue) -> Bool {
    guard let flag = self[name]?.flag else { throw DamagedValue() }
    return flag
  }
}
