package import PCMCore

extension KeptImpression {
  /// The stored form.
  package var state: JSON {
    .state([
      "id": .number(id), "signed": impression.signed.state, "interaction": .string(impression.interaction.rawValue),
      "sourceApp": .string(impression.sourceApp), "sourceAppSDK": .string(impression.sourceSDK?.text),
      "development": .bool(impression.isDevelopment), "recordedAt": .number(impression.recordedAt.milliseconds),
    ])
  }

  package init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    self.init(
      id: try reader.number("id"),
      impression: AdImpression(
        signed: try SignedImpression(state: reader.required("signed") { $0 }), interaction: try reader.word("interaction"),
        sourceApp: try reader.optionalText("sourceApp"),
        sourceSDK: try reader.optional("sourceAppSDK") { $0.string.flatMap { OSVersion(text: $0) } },
        isDevelopment: try reader.flag("development"), recordedAt: try reader.instant("recordedAt")))
  }
}

extension ImpressionTable.KeptView {
  /// The stored form.
  package var state: JSON {
    .state([
      "id": .number(id), "signed": view.signed.state, "bundleIdentifier": .string(view.bundleIdentifier),
      "sourceAppSDK": .string(view.sourceSDK.text), "development": .bool(view.isDevelopment),
      "startedAt": .number(view.startedAt.milliseconds),
    ])
  }

  package init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    self.init(
      id: try reader.number("id"),
      view: OpenView(
        bundleIdentifier: try reader.text("bundleIdentifier"),
        signed: try SignedImpression(state: reader.required("signed") { $0 }),
        sourceSDK: try reader.required("sourceAppSDK") { $0.string.flatMap { OSVersion(text: $0) } },
        isDevelopment: try reader.flag("development"), startedAt: try reader.instant("startedAt")))
  }
}

extension ImpressionTable {
  /// The stored form.
  package var state: JSON { ["kept": .array(kept.map(\.state)), "open": .array(open.map(\.state))] }

  package init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    self.init(
      kept: try reader.items("kept") { (item) throws(UnreadableState) in try KeptImpression(state: item) },
      open: try reader.items("open") { (item) throws(UnreadableState) in try KeptView(state: item) })
  }
}
