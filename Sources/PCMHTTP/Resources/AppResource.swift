import Hummingbird
import NIOPosix
import PCMBrowser
import PCMCore
import PCMManifest
import PCMScenario
import PCMStore

extension ControlAPI {
  func addAppRoutes(to routes: inout RouteTable) {
    routes.onWorld("/apps", .put, use: putApp)
    routes.onWorld("/apps", .get, parameters: ["limit", "cursor"]) { request, context in
      let query = QueryReader(request)
      let (browser, limit) = (try await browser(context), try query.limit())
      let cursors = ListCursors("apps", of: browser)
      let position = try query.cursor(cursors) ?? ""
      let apps = try await browser.registeredApps(after: position, limit: limit + 1, bytes: PageSize.mostBytes)
      return Response(json: Page.json(apps, limit: limit, cursor: { cursors.text($0.bundleIdentifier) }, json: \.json))
    }
    routes.onWorld("/apps/:bundleIdentifier", .put, use: putNamedApp)
    routes.onWorld("/apps/:bundleIdentifier", .get) { _, context in
      let app = try await browser(context).registeredApp(try context.pathPart("bundleIdentifier"))
      return Response(json: app.json)
    }
    routes.onWorld("/apps/:bundleIdentifier", .delete) { _, context in
      try await browser(context).remove(app: try context.pathPart("bundleIdentifier"))
      return Response(status: .noContent)
    }
  }

  /// The short form: the app has the bundle identifier in its Info.plist.
  private func putApp(_ request: Request, _ context: APIContext) async throws -> Response {
    let browser = try await browser(context)
    let (manifest, plist) = try await manifest(in: request, context, of: nil)
    return Response(json: try await browser.register(manifest, plist: plist).json)
  }

  private func putNamedApp(_ request: Request, _ context: APIContext) async throws -> Response {
    let browser = try await browser(context)
    let identifier = try context.pathPart("bundleIdentifier")
    guard BundleIdentifier.hasAllowedCharacters(identifier), identifier.utf8.count <= BundleIdentifier.maximumLength else {
      throw Problem.invalidParameter(
        "bundleIdentifier",
        "\"\(identifier)\" is not a bundle identifier; use up to \(BundleIdentifier.maximumLength) letters, digits, hyphens, "
          + "periods, and underscores")
    }
    guard request.isJSON else {
      let (manifest, plist) = try await manifest(in: request, context, of: identifier, or: ["application/json"])
      try check(manifest, named: identifier, at: [AppRegistration.bundleIdentifierKey])
      return Response(json: try await browser.register(manifest, plist: plist).json)
    }
    let registration = try await request.json(as: AppRegistration.self, in: context)
    let infoPlist = registration.infoPlist(of: identifier)
    let manifest = try readable { () throws(ManifestError) in try manifests.read(infoPlist: infoPlist) }
    try check(manifest, named: identifier, at: AppRegistration.bundleIdentifierPath)
    let plist: (() throws -> String)? =
      registration.infoPlist == nil ? nil : { ManifestReader.xml(infoPlist: infoPlist) }
    if let error = registration.platformError(for: manifest.platform) { throw Problem.invalid([error]) }
    let app = try await browser.register(
      manifest, plist: plist, registration: registration.step(of: identifier), itemIdentifier: registration.itemIdentifier,
      build: registration.build(for: manifest.platform))
    return Response(json: app.json)
  }

  /// Returns the Info.plist in the body, and a function that returns its text as XML. A body without a media type is one,
  /// because `curl --upload-file` sends none.
  ///
  /// - Parameters:
  ///   - identifier: The bundle identifier in the path, which a manifest from the sources does not contain.
  ///   - others: The other media types of the resource.
  private func manifest(
    in request: Request, _ context: APIContext, of identifier: String?, or others: [String] = []
  ) async throws -> (AppManifest, plist: () throws -> String) {
    if request.headers[.contentType] != nil { try request.requireMediaType(Self.manifestTypes, or: others) }
    let bytes = Array(try await request.bytes(upTo: BodyLimit.manifest, in: context).readableBytesView)
    // In a thread for blocking work, so that a few large manifests at a time do not occupy the threads of other calls.
    let (manifest, xml) = try await NIOThreadPool.singleton.runIfActive {
      let manifest = try readable { () throws(ManifestError) in try manifests.read(bytes, named: identifier) }
      return (
        manifest, Result { try readable { () throws(ManifestError) in try ManifestReader.xml(bytes, named: identifier) } }
      )
    }
    return (manifest, { try xml.get() })
  }

  private static let manifestTypes = ["application/x-plist", "application/xml", "text/xml", "application/octet-stream"]

  private func readable<Value>(_ read: () throws(ManifestError) -> Value) throws -> Value {
    do throws(ManifestError) { return try read() } catch {
      let remedy =
        error.isUnnamed
        ? " Or PUT the file to …/apps/{bundleIdentifier}: the path names the app. In a scenario, add bundleIdentifier next to "
          + "manifest or plist." : ""
      throw Problem.invalid([InputError([], error.detail + remedy)])
    }
  }

  /// Throws when the path names another app.
  private func check(_ manifest: AppManifest, named identifier: String, at path: [String]) throws {
    let given = manifest.bundleIdentifier
    guard given != identifier else { return }
    throw Problem.invalid([
      InputError(
        path,
        "CFBundleIdentifier is \(given), but the path names \(identifier); PUT this app to …/apps/\(given), or correct the key")
    ])
  }
}

extension AppRegistration {
  /// Returns the value of a scenario's step that registers the app; nil without members that only a device reads, and for an
  /// Info.plist with fractions, which a scenario cannot contain.
  fileprivate func step(of bundleIdentifier: String) -> (() -> JSON)? {
    guard itemIdentifier != nil || sdkVersion != nil || signing != nil || platform != nil, infoPlist?.hasFractions != true
    else { return nil }
    return { .object([.init("bundleIdentifier", .string(bundleIdentifier))] + json.withoutUserInformation.members) }
  }
}

extension JSON {
  /// Whether a number in the value is not a 64-bit integer.
  fileprivate var hasFractions: Bool {
    switch self {
    case .verbatim: true
    case .array(let items): items.contains(where: \.hasFractions)
    case .object(let members): members.contains(where: \.value.hasFractions)
    case .null, .bool, .number, .string: false
    }
  }
}

extension RegisteredApp {
  var json: JSON {
    var members: [JSON.Member] = [
      .init("bundleIdentifier", .string(bundleIdentifier)), .init("reportEndpoint", .string(reportEndpoint)),
      .init("sourceSite", .string(sourceSite)), .init("reportURL", .string(reportURL)),
    ]
    if let itemIdentifier { members.append(.init("itemIdentifier", .number(itemIdentifier))) }
    if let sdk = build.sdk { members.append(.init("sdkVersion", .string(sdk.text))) }
    members.append(.init("signing", .string(build.signing.rawValue)))
    members.append(.init("platform", .string(build.platform.rawValue)))
    members.append(.init("adAttribution", .verbatim(adAttribution)))
    return .object(members + [.init("findings", .verbatim(findings))])
  }
}
