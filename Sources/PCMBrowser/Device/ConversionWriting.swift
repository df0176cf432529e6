import PCMCore
import PCMCrypto
import PCMDevice
import PCMStore

// The effects of conversions: their events, and the postbacks of windows whose values are final.

extension DeviceState {
  /// Performs the actions after a launch, an update, or a passage of time, and saves the app.
  ///
  /// - Parameters:
  ///   - call: The call that reports a value; nil for other causes.
  ///   - outcome: The decisions about the call.
  mutating func perform(
    _ actions: [ConversionAction], of app: InstalledApp, _ context: DeviceContext, call: ConversionValueInput? = nil,
    outcome: UpdateOutcome? = nil
  ) throws(Failure) {
    for action in actions {
      switch action {
      case .accept(let conversion, let index, let values, let note):
        try append(
          ConversionValueReported(
            .conversionValueAccepted,
            conversion: conversion, bundleIdentifier: app.bundleIdentifier, framework: call?.framework ?? .skadnetwork,
            sequenceIndex: Int64(index), fineValue: values.fine, coarseValue: values.coarse?.rawValue,
            reasons: [note?.reason].compactMap { $0 },
            decision: outcome?.decision(about: conversion)), at: context.now)
      case .reject(let conversion, let rejection):
        try append(
          ConversionValueReported(
            .conversionValueRejected,
            conversion: conversion, bundleIdentifier: app.bundleIdentifier, framework: call?.framework ?? .skadnetwork,
            reasons: [rejection.reason], appleError: rejection.appleError?.json ?? .null,
            decision: outcome?.decision(about: conversion)), at: context.now)
      case .schedule(let order):
        if let conversion = app.conversions[order.conversion] { try schedule(order, of: conversion, app, context) }
      case .drop(let dropped): try append(dropped, at: context.now)
      }
    }
    var rest = app
    rest.conversions.removeFinished()
    try save(rest)
  }

  /// Lets time pass for an app whose conversion windows end.
  mutating func pass(_ app: InstalledApp, _ context: DeviceContext) throws(Failure) {
    var app = app
    let actions = app.conversions.pass(to: context.now)
    try perform(actions, of: app, context)
  }

  /// Schedules the postbacks of a window.
  mutating func schedule(
    _ order: PostbackPlan, of conversion: Conversion, _ app: InstalledApp, _ context: DeviceContext
  ) throws(Failure) {
    let (planned, dropped) = conversion.postbacks(
      for: order, app: try deviceApp(app, on: context.device), networks: context.networks, device: context.device,
      draw: { context.postbackDraw(order, as: conversion.drawNumber, place: $0) })
    for event in dropped { try append(event, at: context.now) }
    try schedule(planned, for: app, context)
  }

  /// Returns an installed app as the rules of the device see it. An app without a registration has no site for copies.
  func deviceApp(_ app: InstalledApp, on device: Device) throws(Failure) -> DeviceApp {
    if let registered = try deviceApp(app.bundleIdentifier, on: device) { return registered }
    return DeviceApp(bundleIdentifier: app.bundleIdentifier, itemIdentifier: app.itemIdentifier, sdk: device.system)
  }
}

extension StoredDevice {
  /// Lets time pass for apps whose conversion windows end, and for ads whose views count.
  mutating func pass(_ rows: [DeviceRow], _ context: DeviceContext) throws {
    var views: [AppImpression] = []
    for row in rows {
      switch row.key.kind {
      case .installedApp: try pass(row.installedApp(), context)
      case .view: views.append(try row.view())
      case .device, .adNetwork, .impression, .signedText, .card, .tracking, .sdkRequest:
        throw row.unreadable("changes_at")
      }
    }
    if !views.isEmpty { try recordViews(of: views, context) }
  }

  func schedule(_ planned: [PlannedPostback], for app: InstalledApp, _ context: DeviceContext) throws {
    // A copy has the same content, so one signature is enough for both.
    var bodies: [PlannedPostback.Content: String] = [:]
    for planned in planned {
      let content = planned.content
      let body = try bodies[content] ?? self.body(of: planned, for: app, context.device.settings)
      bodies[content] = body
      let postback = Postback(planned, id: try nextSequence(), bundleIdentifier: app.bundleIdentifier, body: body)
      try writer.save(postback)
      try append(PostbackScheduled(postback, omissions: planned.omissions), at: context.now)
    }
  }

  /// Returns the signed body of a postback. Only a damaged row of the app has values that cannot be signed.
  private func body(of planned: PlannedPostback, for app: InstalledApp, _ settings: DeviceSettings) throws -> String {
    do {
      return String(decoding: try planned.body(settings), as: UTF8.self)
    } catch is SigningError {
      throw StoreError.unreadable(table: "device_rows", row: app.bundleIdentifier, column: "value")
    }
  }
}

extension UpdateOutcome {
  fileprivate func decision(about conversion: Int64?) -> RecordedDecision {
    RecordedDecision(conversion.flatMap { targets[$0] } ?? evaluation)
  }
}

extension Postback {
  /// Creates a planned postback with its signed body.
  fileprivate init(_ planned: PlannedPostback, id: Int64, bundleIdentifier: String, body: String) {
    let ad = planned.kept.impression
    self.init(
      id: id, conversion: planned.conversion.id, impression: planned.kept.id, framework: ad.framework,
      sequenceIndex: planned.order.index, didWin: planned.didWin, recipient: planned.recipient,
      adNetworkIdentifier: ad.adNetworkIdentifier, bundleIdentifier: bundleIdentifier, url: planned.url, body: body,
      message: OutgoingMessage(dueAt: planned.dueAt))
  }
}

extension PlannedPostback {
  /// Returns the body, signed with the published test keys.
  func body(_ settings: DeviceSettings) throws -> [UInt8] {
    let keys = try publishedKeys.get()
    let slashes: SlashForm = settings.escapesSlashes ? .escaped : .plain
    switch content {
    case .skAdNetwork(let postback):
      return try postback.body(signedBy: keys.skadnetwork(postback.version), slashes: slashes)
    case .adAttributionKit(let postback):
      // The settings of iOS sign with the second development key.
      let choice =
        conversion.development != nil && settings.postbackKeys == .test ? .secondDevelopment : settings.postbackKeys
      return try postback.body(signedBy: keys.signer(choice, isDevelopment: isDevelopment), slashes: slashes)
    }
  }
}

extension TestKeys {
  fileprivate func signer(_ choice: PostbackKeyChoice, isDevelopment: Bool) throws -> JWSSigner {
    switch choice {
    case .test: try signer(isDevelopment ? .development0 : .production)
    case .secondDevelopment: try signer(isDevelopment ? .development1 : .production)
    case .appleIdentifiers: try impersonator(isDevelopment ? .development0 : .production)
    }
  }
}

/// The published test keys, read once.
private let publishedKeys = Result { () throws(SigningError) in try TestKeys() }
