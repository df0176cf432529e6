import PCMCore
import Testing

@Suite struct AppAdAttributionTests {
  @Test("Generated values are read back from their JSON", arguments: UInt64(0)..<4)
  func roundTrip(seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let values = AppAdAttribution.random(&numbers)
      let json = try #require(JSON(parsing: values.json.bytes))
      #expect(AppAdAttribution(json: json) == values, "\(json.text)")
    }
  }

  @Test("An endpoint is read without its user information")
  func userInformation() {
    var values = AppAdAttribution()
    values.copyEndpoint = "https://user:password@shop.example/x"
    let read = AppAdAttribution(json: values.json)
    #expect(read?.copyEndpoint == "https://shop.example/x")
    #expect(read?.json == values.json)
  }

  private static let whole: AppAdAttribution = {
    var values = AppAdAttribution()
    values.skAdNetworkIdentifiers = ["example.skadnetwork"]
    values.skAdNetworkCopySite = Site("shop.example")
    values.adAttributionKitCopySite = Site("[::1]")
    values.networkWindows = ["a": AppAdAttribution.Windows(), "b": AppAdAttribution.Windows()]
    values.networkWindows["b"]?.ignoredInteraction = .view
    return values
  }()

  @Test("Every member of a value is necessary, and each has one type")
  func damagedMembers() throws {
    let json = Self.whole.json
    #expect(AppAdAttribution(json: json) == Self.whole)
    let damaged = Self.damaged(json)
    #expect(damaged.count > 60)
    for value in damaged { #expect(AppAdAttribution(json: value) == nil, "\(value.text)") }
  }

  @Test(
    "Text that no version wrote is damaged",
    arguments: [
      ("https://shop.example/.well-known/skadnetwork", "https://shop.example/.well-known/appattribution"),
      ("https://shop.example/", "http://shop.example/"),
      ("https://shop.example/", "https://shop.example//"), ("PT720H", "P30D"),
      ("\"install\":\"PT0S\"", "\"install\":\"-PT1H\""),
      ("\"view\"}", "\"tap\"}"), (":\"b\"", ":\"a\""), (":\"a\"", ":\"c\""),
    ])
  func damagedText(_ text: String, _ damaged: String) throws {
    let whole = Self.whole.json.text
    #expect(whole.contains(text))
    let json = try #require(JSON(parsing: Array(whole.replacing(text, with: damaged).utf8)))
    #expect(AppAdAttribution(json: json) == nil)
  }

  /// Returns a value with each of its members missing, added, renamed, moved to the end, and of another type.
  private static func damaged(_ json: JSON) -> [JSON] {
    var damaged: [JSON] = [.number(1), .array([json]), .string(json.text), .bool(true)]
    switch json {
    case .object(let members):
      damaged += [.object(members + [.init("another", .null)]), .object(members + members.suffix(1))]
      for (index, member) in members.enumerated() {
        var rest = members
        rest.remove(at: index)
        damaged.append(.object(rest))
        func with(_ name: String, _ value: JSON) -> JSON {
          var changed = members
          changed[index] = .init(name, value)
          return .object(changed)
        }
        damaged.append(with(member.name + "s", member.value))
        if index < members.count - 1 { damaged.append(.object(rest + [member])) }
        damaged += Self.damaged(member.value).map { with(member.name, $0) }
      }
    case .array(let items):
      for (index, item) in items.enumerated() {
        damaged += Self.damaged(item).map { value in
          var changed = items
          changed[index] = value
          return .array(changed)
        }
      }
    case .null: return [.number(1), .array([]), .bool(true), .object([])]
    case .string: return [.number(1), .array([json]), .bool(true), .object([])]
    case .bool: return [.number(1), .array([json]), .string("true"), .null]
    default: break
    }
    return damaged
  }
}

extension SplitMix64 {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

extension AppAdAttribution {
  fileprivate static func random(_ numbers: inout SplitMix64) -> AppAdAttribution {
    var values = AppAdAttribution()
    values.skAdNetworkIdentifiers = (0..<numbers.below(4)).map { _ in text(&numbers) }
    values.adNetworkIdentifiers = (0..<numbers.below(4)).map { _ in text(&numbers) }
    values.skAdNetworkCopySite = site(&numbers)
    values.copyEndpoint = numbers.below(2) == 0 ? nil : text(&numbers)
    values.adAttributionKitCopySite = site(&numbers)
    values.globalWindows = windows(&numbers)
    for _ in 0..<numbers.below(4) {
      var windows = windows(&numbers)
      windows.ignoredInteraction = [nil, .click, .view][numbers.below(3)]
      values.networkWindows[text(&numbers)] = windows
    }
    values.cooldowns.install = .hours(Int64(numbers.below(721)))
    values.cooldowns.reengagement = .hours(Int64(numbers.below(721)))
    values.hasOverlappingConversions = numbers.below(2) == 0
    values.copiesReengagementPostbacks = numbers.below(2) == 0
    values.trackingUsageDescription = numbers.below(2) == 0 ? nil : text(&numbers)
    return values
  }

  private static func text(_ numbers: inout SplitMix64) -> String {
    let parts = ["example", ".", "skadnetwork", "ä", "e\u{301}", "\u{0}", "\"", "\\", "\n", "🎯", "/", "", "x"]
    return (0..<numbers.below(5)).map { _ in parts[numbers.below(parts.count)] }.joined()
  }

  private static func site(_ numbers: inout SplitMix64) -> Site? {
    [nil, Site("shop.example"), Site("localhost"), Site("[2001:db8::1]"), Site("192.0.2.1"), Site("xn--shp-sna.example")][
      numbers.below(6)]
  }

  private static func windows(_ numbers: inout SplitMix64) -> Windows {
    var windows = Windows()
    windows.click = .days(Int64(1 + numbers.below(30)))
    windows.view = .days(Int64(1 + numbers.below(7)))
    return windows
  }
}
