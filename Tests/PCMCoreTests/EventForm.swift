import PCMCore
import StoreContract

/// One form of the details of a type of event: its members without the decision, as the samples have them.
struct EventForm {
  /// The type of the event, and the form for an event with several forms: `TokenRequestedReportKeys`.
  let name: String
  private(set) var members: [EventMember]

  /// Returns the forms of a kind's events, and whether the events record decisions.
  static func forms(of kind: EventKind) throws -> (forms: [EventForm], recordsDecisions: Bool) {
    // Events of several kinds may have one type.
    let types = Sample.events.filter { $0.kind == kind }.map { ObjectIdentifier(type(of: $0)) }
    let samples = Sample.events.filter { types.contains(ObjectIdentifier(type(of: $0))) }
    let described = try samples.map { event in
      EventForm(name: name(of: event), members: try EventMembers.describing(event))
    }
    let forms = described.map { form in
      EventForm(name: form.name, members: form.members.filter { $0.value != .object("RecordedDecision") })
    }
    return (merged(forms), zip(described, forms).contains { $0.members != $1.members })
  }

  private static func name(of event: any BrowserEvent) -> String {
    let form = Mirror(reflecting: event)
    let suffix = form.displayStyle == .enum ? form.children.first?.label ?? "" : ""
    // The documents name a generic type by its record: `ReportFinished`.
    let type = "\(type(of: event))".replacing("AttemptFinished<", with: "").replacing(">", with: "Finished")
    return type + suffix.prefix(1).uppercased() + suffix.dropFirst()
  }

  /// Returns the forms without forms that only lack some members of another.
  private static func merged(_ forms: [EventForm]) -> [EventForm] {
    forms.sorted { $0.members.count > $1.members.count }.reduce(into: []) { forms, form in
      if let index = forms.firstIndex(where: { $0.name == form.name }) {
        forms[index].makeOptional(except: form)
      } else {
        forms.append(form)
      }
    }
  }

  private mutating func makeOptional(except form: EventForm) {
    for index in members.indices where !form.members.contains(where: { $0.name == members[index].name }) {
      members[index].isOptional = true
    }
  }
}
