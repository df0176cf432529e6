import PCMCore
import PCMManifest
import PCMURL
import Testing

@Suite struct FindingTests {
  @Test("The catalog has a title for each code")
  func titles() {
    #expect(ManifestFinding.titles.map(\.name).sorted() == ManifestFinding.Code.allCases.map(\.rawValue).sorted())
  }

  @Test(
    "Each part of the endpoint is checked",
    arguments: [
      ("<string>https://news.example/</string>", [ManifestFinding.Code]()),
      ("<string>https://NEWS.example:443</string>", []),
      ("<string>https://a.news.example</string>", [.endpointSubdomainIgnored]),
      ("<string>https://news.example/x</string>", [.endpointPathIgnored]),
      ("<string>https://news.example?</string>", [.endpointQueryIgnored]),
      ("<string>https://news.example#</string>", [.endpointFragmentIgnored]),
      ("<string>https://news.example:8443</string>", [.endpointPortIgnored]),
      ("<string>https://me:secret@news.example</string>", [.endpointCredentialsIgnored]),
      ("<string>http://a.news.example</string>", [.endpointNotHTTPS, .endpointSubdomainIgnored]),
      ("<string>myapp:news</string>", [.endpointNotHTTPS, .endpointWithoutRegistrableDomain]),
      ("<string>http://127.1</string>", [.endpointNotHTTPS, .endpointIsAnAddress]),
      ("<string>https://[::1]:8443/</string>", [.endpointIsAnAddress]),
      ("<string>https://localhost</string>", [.endpointWithoutRegistrableDomain]),
      ("<string>https://co.uk</string>", [.endpointWithoutRegistrableDomain]),
      ("<string>news.example</string>", [.endpointNotAURL]),
      ("<string></string>", [.endpointNotAURL]),
      ("<string>https://</string>", [.endpointNotAURL]),
      ("<string>https://$(REPORT_HOST)</string>", [.endpointUnresolvedBuildSetting]),
      ("<array><string>https://news.example</string></array>", [.endpointNotAString]),
      ("<integer>1</integer>", [.endpointNotAString]),
      ("<true/>", [.endpointNotAString]),
      ("<dict><key>a</key><date>2026-11-20T10:00:00Z</date></dict>", [.endpointNotAString]),
    ])
  func endpoint(_ value: String, _ codes: [ManifestFinding.Code]) throws {
    let manifest = try reader.read(propertyList("<key>NSAdvertisingAttributionReportEndpoint</key>\(value)"))
    #expect(manifest.findings.map(\.code) == codes, "\(value)")
    #expect(!manifest.findings.contains { $0.detail.contains("secret") })
    #expect(manifest.findings.allSatisfy { $0.detail.contains("NSAdvertisingAttributionReportEndpoint") })
  }

  @Test(
    "An endpoint without a scheme is written with its domain",
    arguments: ["news.example", "//www.news.example/x", "a.news.example:8443", "mailto"])
  func withoutScheme(_ text: String) throws {
    let manifest = try reader.read(
      propertyList("<key>NSAdvertisingAttributionReportEndpoint</key><string>\(text)</string>"))
    let domain = text == "mailto" ? "example.com" : "news.example"
    #expect(manifest.findings.first?.detail.contains("https://\(domain).") == true, "\(manifest.findings)")
  }

  @Test(
    "A value in which Foundation finds no host, or another one, is a warning",
    arguments: [
      (#"https:\/\/news.example"#, "a backslash"), ("https:/news.example", "two slashes"),
      ("https:news.example", "two slashes"),
      ("https:///news.example", "two slashes"), (#"https:\\news.example"#, "a backslash"), ("https://news\t.example", "a tab"),
      ("https:\t//news.example", "a tab"), (#"https://news.example\x"#, "a backslash"),
      ("https://news%2Eexample", "a URL cannot"),
    ])
  func unclearHost(_ text: String, _ part: String) throws {
    for (key, code) in [
      ("NSAdvertisingAttributionReportEndpoint", .endpointHostUnclear), ("AttributionCopyEndpoint", .copyEndpointHostUnclear),
    ] as [(String, ManifestFinding.Code)] {
      let manifest = try reader.readValid("<key>\(key)</key><string>\(text)</string>")
      let finding = try #require(manifest.findings.first { $0.code == code }, "\(text): \(manifest.findings)")
      #expect(finding.severity == .warning && finding.detail.contains(part), "\(finding.detail)")
      #expect(finding.detail.hasSuffix("Write https://news.example."), "\(finding.detail)")
    }
  }

  @Test("A user name and a password are two findings")
  func credentials() throws {
    let manifest = try reader.read(
      propertyList("<key>NSAdvertisingAttributionReportEndpoint</key><string>https://me:secret@news.example</string>"))
    #expect(manifest.findings.first?.detail.contains("the user name and password are ignored") == true)
  }

  @Test(
    "The detail for the click rules is a clause",
    arguments: ["<string>http://news.example</string>", "<integer>1</integer>", "<string>nonsense</string>"])
  func clauses(_ value: String) throws {
    let manifest = try reader.read(propertyList("<key>NSAdvertisingAttributionReportEndpoint</key>\(value)"))
    guard case .invalid(let why) = manifest.app.endpoint else {
      Issue.record("\(value) is not invalid")
      return
    }
    #expect(!why.hasSuffix("."), "\(why)")
  }

  @Test("The endpoint for the click rules is missing, invalid, or valid")
  func tapEndpoint() throws {
    let key = "<key>NSAdvertisingAttributionReportEndpoint</key>"
    let valid = try reader.read(propertyList("\(key)<string>https://a.news.example/x</string>"))
    #expect(valid.app.endpoint == .valid(try sites.url("https://a.news.example/x"), written: "https://a.news.example/x"))
    #expect(valid.endpointError == nil)
    let missing = try reader.read(propertyList(""))
    #expect(missing.app.endpoint == .missing)
    #expect(missing.endpointError?.code == .endpointMissing)
    for value in ["<string>http://news.example</string>", "<integer>1</integer>", "<string>https://10.0.0.1</string>"] {
      guard case .invalid(let why) = try reader.read(propertyList(key + value)).app.endpoint else {
        Issue.record("\(value) is not invalid")
        continue
      }
      #expect(why.contains("NSAdvertisingAttributionReportEndpoint"))
    }
  }

  @Test(
    "An app is a Mac Catalyst app by its devices or by the keys of a Mac build",
    arguments: [
      ("", false),
      ("<key>MinimumOSVersion</key><string>16.0</string>", false),
      ("<key>UIDeviceFamily</key><array><integer>1</integer><integer>2</integer></array>", false),
      ("<key>UIDeviceFamily</key><array><string>2</string></array>", false),
      ("<key>UIDeviceFamily</key><integer>1</integer>", false),
      ("<key>UIDeviceFamily</key><array/>", false),
      ("<key>UIDeviceFamily</key><array><integer>6</integer></array>", true),
      ("<key>UIDeviceFamily</key><array><integer>7</integer></array>", false),
      ("<key>UIDeviceFamily</key><array><integer>6</integer><integer>7</integer></array>", false),
      ("<key>UIDeviceFamily</key><array><integer>3</integer></array>", true),
      ("<key>DTPlatformName</key><string>xros</string>", false),
      ("<key>UIDeviceFamily</key><array><integer>6</integer></array><key>LSRequiresIPhoneOS</key><true/>", true),
      ("<key>LSMinimumSystemVersion</key><string>13.0</string>", true),
      ("<key>LSMinimumSystemVersion</key><string>13.0</string><key>LSRequiresIPhoneOS</key><false/>", true),
      ("<key>LSMinimumSystemVersion</key><string>13.0</string><key>LSRequiresIPhoneOS</key><true/>", false),
      ("<key>CFBundleSupportedPlatforms</key><array><string>MacOSX</string></array>", true),
      ("<key>DTPlatformName</key><string>macosx</string>", true),
      ("<key>DTPlatformName</key><string>iphonesimulator</string>", false),
    ])
  func macCatalyst(_ keys: String, _ isMacCatalyst: Bool) throws {
    let manifest = try reader.readValid(keys)
    #expect((manifest.platform == .macCatalyst) == isMacCatalyst && manifest.app.platform == manifest.platform, "\(keys)")
    #expect(manifest.findings.contains { $0.code == .macCatalyst } == isMacCatalyst)
  }

  @Test(
    "An app for visionOS alone is accepted with a note",
    arguments: [
      ("<key>UIDeviceFamily</key><array><integer>7</integer></array>", true),
      ("<key>CFBundleSupportedPlatforms</key><array><string>XROS</string></array>", true),
      ("<key>UIDeviceFamily</key><array><integer>1</integer><integer>2</integer><integer>7</integer></array>", false),
      ("", false),
    ])
  func vision(_ keys: String, _ hasNote: Bool) throws {
    let manifest = try reader.readValid(keys)
    #expect(manifest.findings.map(\.code) == (hasNote ? [.visionOS] : []))
    #expect(manifest.findings.allSatisfy { $0.severity == .info && $0.detail.contains("not established") })
    #expect(manifest.judgments.first { $0.participation == .clicks }?.verdict == .good)
  }

  @Test("The remedy for an http endpoint is its https URL")
  func http() throws {
    let manifest = try reader.read(
      propertyList("<key>NSAdvertisingAttributionReportEndpoint</key><string>http://www.pins.example/x</string>"))
    #expect(
      manifest.endpointError?.detail
        == "NSAdvertisingAttributionReportEndpoint has the scheme http; reports are sent only over https. Write https://pins.example."
    )
  }

  @Test(
    "For a name at a hosting service, only a domain of your own helps",
    arguments: [
      ("https://skan.team.workers.dev", true), ("https://a.b.vercel.app/x", true), ("https://a.team.example", false),
      ("https://team.workers.dev", false),
    ])
  func hosted(_ url: String, _ isHosted: Bool) throws {
    let manifest = try reader.read(propertyList("<key>NSAdvertisingAttributionReportEndpoint</key><string>\(url)</string>"))
    let details = manifest.findings.map(\.detail).filter { $0.contains("only a domain of your own helps") }
    #expect(details.count == (isHosted ? 1 : 0), "\(manifest.findings)")
  }

  @Test(
    "A minimum version before 14.5 is a warning",
    arguments: [
      ("14.5", false), ("14.5.1", false), ("15", false), ("26.0", false), ("14.4", true), ("14", true), ("13.7", true),
      ("9.0", true),
      ("latest", false), ("", false),
    ])
  func minimumVersion(_ version: String, _ isTooLow: Bool) throws {
    let manifest = try reader.read(propertyList("<key>MinimumOSVersion</key><string>\(version)</string>"))
    #expect(manifest.findings.contains { $0.code == .minimumOSVersionTooLow } == isTooLow)
  }

  @Test("Findings come with errors first")
  func order() throws {
    let manifest = try reader.read(
      propertyList("<key>SKAdNetworkItems</key><array/><key>MinimumOSVersion</key><string>13.0</string>"))
    #expect(manifest.findings.map(\.severity) == [.error, .warning, .warning, .info])
  }

  @Test("The codes are in kebab case")
  func codes() {
    for code in ManifestFinding.Code.allCases {
      #expect(code.rawValue.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(code.rawValue)")
    }
  }
}
