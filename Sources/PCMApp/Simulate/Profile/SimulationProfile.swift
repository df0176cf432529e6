import PCMCore
import PCMCrypto
import PCMManifest
import PCMScenario
import PCMURL

/// How a simulation reads its file, and what its users share.
struct SimulationProfile: Sendable {
  /// Where a column comes from.
  enum Origin: Sendable {
    case file(name: String, place: SourcePlace)
    case value(String)
    case encoding(CellEncoding)
  }

  /// The columns that the profile describes.
  let origins: [String: Origin]
  /// The kind of each word; nil for lines that are ignored.
  let kinds: [(word: String, step: EventStep?)]
  let shares: UserShares
  /// Whether the file may have columns that the profile does not name.
  let ignoresOthers: Bool
  /// Whether lines are read in another way than without a profile.
  var isMapping: Bool { ignoresOthers || !origins.isEmpty || kinds.count > EventStep.names.count }

  /// The encodings whose values are counted, in the order of the columns.
  var countedEncodings: [CellEncoding] {
    EventColumns.all.names.compactMap { column in
      if case .encoding(let encoding)? = origins[column], encoding.countsValues { encoding } else { nil }
    }
  }

  private let file: String
  private let bytes: [UInt8]
  private let root: SourceNode

  init(path: String) throws {
    // One byte more than the limit, so that the reader reports a file that is too large.
    let bytes = try StartError.naming("--profile") { try TextFile.contents(path, upTo: ScenarioReader.sizeLimit + 1) }
    try self.init(bytes, file: path)
  }

  /// - Parameter file: The name in errors.
  init(_ bytes: [UInt8], file: String) throws(StartError) {
    (self.bytes, self.file) = (bytes, file)
    do throws(ScenarioErrors) {
      let root = try ProfileFormat.file.read(bytes, as: file.hasSuffix(".json") ? .json : .yaml)
      var reading = ProfileReading()
      reading.read(root)
      guard reading.errors.isEmpty else { throw ScenarioErrors(reading.errors) }
      origins = reading.origins
      let words = root["kinds"]?.members.map { ($0.name, EventStep(name: $0.node.text ?? "")) } ?? []
      let own = EventStep.names.filter { name in !words.contains { $0.0 == name } }
      kinds = words + own.map { ($0, EventStep(name: $0)) }
      func share(_ name: String) -> Double { root["settings"]?[name]?.number ?? 0 }
      shares = UserShares(
        isPrivate: share("private_share"), isOff: share("measurement_off_share"), hasOtherBrowser: share("other_browser_share"))
      ignoresOthers = root["columns"] != nil
      self.root = root
    } catch {
      throw Self.error(ScenarioErrors(error.errors.map(Self.namingAppColumn)), file, bytes)
    }
  }

  /// Adds the encoding for apps to the error about a number that is too large for web ads.
  private static func namingAppColumn(_ error: ScenarioError) -> ScenarioError {
    let names = error.pointer.split(separator: "/")
    let isRange = ["expected an integer from 0 to ", "expected 1 to "].contains(where: error.detail.hasPrefix)
    guard names.count > 2, names[0] == "encodings", isRange else { return error }
    let other: String
    switch names[1] {
    case "source_id": other = "the encoding sourceIdentifier has 0 to \(CampaignIdentifier.sourceIdentifiers.upperBound)"
    case "data": other = "the encoding fineValue has 0 to \(ConversionValue.fineValues.upperBound)"
    default: return error
    }
    return ScenarioError("\(error.detail); for apps, \(other)", at: error.place, pointer: error.pointer, code: error.code)
  }

  /// Creates the device that all users share.
  func device(sites: SiteParser, signsPostbacks: Bool) throws(StartError) -> SimulationDevice {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    do throws(ScenarioErrors) {
      return try SimulationDevice(root, sites: sites, signsPostbacks: signsPostbacks) { path throws(StartError) in
        try TextFile.contents(path.hasPrefix("/") ? path : folder + path, upTo: ManifestReader.sizeLimit)
      }
    } catch {
      throw Self.error(error, file, bytes)
    }
  }

  /// Returns an error at a place of the profile.
  func error(_ detail: String, at place: SourcePlace) -> StartError {
    Self.error(ScenarioErrors([ScenarioError(detail, at: place)]), file, bytes)
  }

  private static func error(_ errors: ScenarioErrors, _ file: String, _ bytes: [UInt8]) -> StartError {
    StartError(description: String(errors.text(file: file, bytes: bytes).dropLast()))
  }
}

/// The reading of a profile's columns and encodings from nodes of the checked shape.
private struct ProfileReading {
  var origins: [String: SimulationProfile.Origin] = [:]
  var errors: [ScenarioError] = []

  mutating func read(_ root: SourceNode) {
    for member in root["columns"]?.members ?? [] {
      origins[member.name] =
        member.node.text.map { .file(name: $0, place: member.node.place) } ?? .value(Self.text(member.node["value"]))
    }
    for member in root["encodings"]?.members ?? [] {
      if origins[member.name] != nil {
        note("expected \(member.name) in columns or in encodings, found both", member.namePlace)
      } else if let value = member.node["value"] {
        origins[member.name] = .value(Self.text(value))
      } else if let from = member.node["from"], let name = from.text {
        origins[member.name] = encoding(member, from: name, at: from.place).map { .encoding($0) }
      } else {
        note("expected the member from: the column of the file with the value", member.node.place)
      }
    }
  }

  private mutating func encoding(_ member: SourceMember, from name: String, at place: SourcePlace) -> CellEncoding? {
    func encoding(_ rule: CellEncoding.Rule) -> CellEncoding {
      CellEncoding(
        column: member.name, from: name, place: place, rule: rule,
        fallback: member.node["default"].map { Array(Self.text($0).utf8) })
    }
    guard let limits = member.node["buckets"]?.items else {
      return encoding(
        .table(CellTable((member.node["table"]?.members ?? []).map { ($0.name, Array(Self.text($0.node).utf8)) })))
    }
    for (limit, next) in zip(limits, limits.dropFirst()) where limit.number ?? 0 >= next.number ?? 0 {
      note("expected limits in ascending order, found \(Self.text(next)) after \(Self.text(limit))", next.place)
    }
    let words = member.name == ProfileFormat.coarse.column ? ProfileFormat.coarse.words : (0...limits.count).map(String.init)
    return encoding(.buckets(limits.compactMap(\.number), digits: words.map { Array($0.utf8) }))
  }

  private mutating func note(_ detail: String, _ place: SourcePlace) { errors.append(ScenarioError(detail, at: place)) }

  /// The text that a cell with the value would have.
  private static func text(_ node: SourceNode?) -> String { node.map { $0.text ?? $0.json.text } ?? "" }
}
