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
