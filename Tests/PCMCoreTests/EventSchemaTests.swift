import PCMCore
import StoreContract
import Testing

/// The schemas of events in `openapi.json` are recorded from the typed events.
@Suite struct EventSchemaTests {
  @Test("Every note describes a type or a member of an event")
  func notes() throws {
    let forms = try EventKind.allCases.flatMap { try EventForm.forms(of: $0).forms }
    let names = Set(forms.flatMap { form in form.members.flatMap { [$0.name, "\(form.name).\($0.name)"] } })
    #expect(Set(EventSchema.notes.keys).subtracting(names) == [])
    #expect(Set(EventSchema.types.keys).subtracting(forms.map(\.name)) == ["TokenRequested"])
  }

  @Test("The document lists the words of the events")
  func vocabularies() throws {
    for (name, words) in EventSchema.vocabularies {
      let schema = try RecordedSchemas.schemas([name])[name]
      #expect(schema?["x-extensible-enum"] == .array(words.map { .string($0) }), "\(name)")
    }
  }

  @Test("An event has one of the forms of its kind", arguments: Sample.events)
  func samples(_ event: any BrowserEvent) throws {
    let names = Set(try #require(JSON(parsing: event.json)).members.map(\.name)).subtracting(["decision"])
    let (forms, recordsDecisions) = try EventForm.forms(of: event.kind)
    let fitting = forms.filter { form in
      names.isSubset(of: form.members.map(\.name)) && names.isSuperset(of: form.members.filter { !$0.isOptional }.map(\.name))
    }
    #expect(fitting.count == 1)
    #expect(recordsDecisions || event.decision == nil)
  }

  @Test("A requested token has three forms")
  func tokenRequested() throws {
    let (forms, recordsDecisions) = try EventForm.forms(of: .tokenRequested)
    let members = Dictionary(uniqueKeysWithValues: forms.map { ($0.name, $0.members.map(\.name)) })
    let exchange = ["requestSequence", "recipient", "sourceSite", "destinationSite", "clickId", "step", "url"]
    #expect(
      members == [
        "TokenRequestedKey": exchange, "TokenRequestedSignature": exchange + ["keyId"],
        "TokenRequestedReportKeys": ["reportId", "recipient", "step", "urls"],
      ])
    let steps = forms.compactMap { form in form.members.first { $0.name == "step" }?.value }
    #expect(steps == [.words(["signature"]), .words(["key"]), .words(["key"])])
    #expect(recordsDecisions)
  }

  @Test("A member that is missing in some events is optional, and one without a value is null")
  func optionality() throws {
    let report = try #require(try EventForm.forms(of: .reportFailed).forms.first).members
    #expect(report.filter(\.isOptional).map(\.name) == ["forwardedTo", "retryAt", "reasons"])
    #expect(report.filter(\.isNullable).map(\.name) == ["httpStatus"])
    #expect(report.first { $0.name == "retryAt" }?.value == .instant)
    #expect(report.first { $0.name == "recipient" }?.value == .words(["source", "destination"]))
    let rejected = try EventForm.forms(of: .triggerRejected).forms
    #expect(rejected.count == 1)
    #expect(
      rejected.first?.members.filter(\.isOptional).map(\.name) == [
        "data", "priority", "sourceSite", "destinationSite", "observed",
      ])
  }
}
