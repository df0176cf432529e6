import ArgumentParser
import PCMCore
import PCMEndpoint
import PCMURL

/// The values in the reports of a check.
struct SubjectOptions: ParsableArguments {
  @Option(
    name: .customLong("source-id"),
    help: ArgumentHelp("An accepted source_id, 0 to 255. May be repeated. (default: any)", valueName: "NUMBER"))
  var sourceIDs: [String] = []

  @Option(
    help: ArgumentHelp("An accepted trigger_data, 0 to 15. May be repeated. (default: any)", valueName: "NUMBER"))
  var triggerData: [String] = []

  @Option(
    help: ArgumentHelp(
      "The source site in reports to a destination's endpoint. (default: source.example)", valueName: "HOST"))
  var sourceSite: String?

  @Option(
    help: ArgumentHelp(
      "The destination in reports to a source's endpoint. (default: destination.example)", valueName: "HOST"))
  var destination: String?

  func validate() throws {
    _ = try Self.numbers(sourceIDs, "--source-id", through: 255)
    _ = try Self.numbers(triggerData, "--trigger-data", through: 15)
  }

  /// - Parameter endpoint: The site of the endpoint, which is one of the two sites.
  func subjects(_ endpoint: Site, _ role: Recipient, sites: SiteParser) throws -> ReportSubjects {
    let source = try sourceSite.map { try Self.site($0, "--source-site", sites: sites) }
    let destination = try destination.map { try Self.site($0, "--destination", sites: sites) }
    let (own, other) = role == .source ? (source, destination) : (destination, source)
    let names: (own: String, other: String) =
      role == .source ? ("--source-site", "--destination") : ("--destination", "--source-site")
    if let own, own != endpoint {
      throw StartError(
        description: "\(names.own) \"\(own.domain)\": with --role \(role.rawValue), reports name the endpoint's site there, "
          + "\(endpoint.domain). Omit the option, or use \(names.other) for the other site.")
    }
    guard other != endpoint else {
      throw StartError(
        description: "\(names.other) \"\(endpoint.domain)\": expected a site other than the endpoint's; "
          + "no click leads from a site to itself.")
    }
    return ReportSubjects(
      sourceIDs: try Self.numbers(sourceIDs, "--source-id", through: 255),
      triggerData: try Self.numbers(triggerData, "--trigger-data", through: 15), otherSite: other?.domain)
  }

  /// The numbers in order, without duplicates.
  private static func numbers(_ texts: [String], _ option: String, through most: Int64) throws -> [Int64] {
    try texts.reduce(into: []) { numbers, text in
      guard let number = Int64(text), (0...most).contains(number) else {
        throw ValidationError("\(option) \"\(text.visible)\": expected a number from 0 to \(most).")
      }
      if !numbers.contains(number) { numbers.append(number) }
    }
  }

  private static func site(_ text: String, _ option: String, sites: SiteParser) throws -> Site {
    let problem = "\(option) \"\(text.visible)\": expected "
    guard let url = try? sites.url("https://\(text)"), url.text == "https://\(url.host)/", !url.hasCredentials else {
      throw StartError(description: problem + "a host, as in shop.example.")
    }
    guard url.hasRegistrableDomain else {
      throw StartError(description: problem + "a registrable domain, as in shop.example.")
    }
    guard url.host == url.site.domain else {
      throw StartError(description: problem + "\(url.site.domain), because reports name the registrable domain.")
    }
    return url.site
  }
}
