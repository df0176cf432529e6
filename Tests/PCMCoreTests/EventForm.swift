import PCMCore

/// One form of the details of a type of event: its members, as its initializer reads and its encoder writes them.
struct EventForm {
  /// The type of the event, and for an event with several forms, that of the form: `TokenRequestedReportKeys`.
  let name: String
  private(set) var members: [Member]

  struct Member: Equatable {
    let name: String
    var value: Value
    /// Whether the member is absent from some events.
    var isOptional: Bool
    /// Whether the member is null in some events.
    let isNullable: Bool
  }

  enum Value: Hashable {
    case text(Text)
    case texts(Text)
    /// An integer of eight bits.
    case byte
    case integer
    case flag, reasons, logRetention, omissions
    /// Any JSON.
    case json
  }

  /// The texts that a member accepts.
  enum Text: Hashable {
    case any, instant
    case record(RecordName.Kind)
    case words(Set<String>)

    /// The words that events have, by the schema of the document that lists them.
    static let vocabularies: [(schema: String?, words: [String])] = [
      ("ClickOrigin", ClickOrigin.allCases.map(\.rawValue)), ("RecipientValue", Recipient.allCases.map(\.rawValue)),
      ("DeliveryPolicyValue", DeliveryPolicy.allCases.map(\.rawValue)),
      ("ReportURLChoiceValue", ReportURLChoice.allCases.map(\.rawValue)), (nil, ["key", "signature"]),
      ("AdFramework", AdFramework.allCases.map(\.rawValue)), ("AdInteractionType", InteractionType.allCases.map(\.rawValue)),
      ("PostbackRecipient", Postback.Recipient.allCases.map(\.rawValue)),
    ]

    /// A text of each format that a member can require.
    fileprivate static let examples: [(text: String, format: Text)] = {
      var examples: [(text: String, format: Text)] = [("2026-11-20T10:00:00.000Z", .instant)]
      for kind in RecordName.Kind.allCases { examples.append(("\(kind.rawValue)-1", .record(kind))) }
      for word in Set(vocabularies.flatMap(\.words)) { examples.append((word, .words([word]))) }
      return examples
    }()
  }

  /// A member that accepts no text of any format, or that one side of the codec lacks.
  struct Mismatch: Error {
    let kind: EventKind
    let member: String
  }

  /// Returns the forms of a kind's events, and whether the events record decisions.
  static func forms(of kind: EventKind) throws -> (forms: [EventForm], recordsDecisions: Bool) {
    let readings = try readings(of: kind, ProbingDecoder.Content())
    let forms = try readings.map { try EventForm(kind, $0) }
    return (merged(forms), readings.contains { $0.decoder.readsDecision })
  }
}

/// A successful reading of an event.
private struct EventReading {
  let decoder: ProbingDecoder
  let event: BrowserEvent
}

extension EventForm {
  /// Returns the readings of events with all contents that lead to different forms.
  private static func readings(of kind: EventKind, _ content: ProbingDecoder.Content) throws -> [EventReading] {
    let decoder = ProbingDecoder(content)
    let result = Result { try BrowserEvent(kind, from: decoder) }
    if let name = decoder.undecided {
      return try [true, false].flatMap { isPresent in
        var content = content
        content.presence[name] = isPresent
        return try readings(of: kind, content)
      }
    }
    do {
      return [EventReading(decoder: decoder, event: try result.get())]
    } catch DecodingError.dataCorrupted(let context) {
      let name = context.codingPath.last?.stringValue ?? ""
      // The example of a format that the member does not have.
      guard content.texts[name] == nil else { return [] }
      let found = try Text.examples.flatMap { example in
        var content = content
        content.texts[name] = example.text
        return try readings(of: kind, content)
      }
      guard !found.isEmpty else { throw Mismatch(kind: kind, member: name) }
      return found
    }
  }

  private init(_ kind: EventKind, _ reading: EventReading) throws {
    name = Self.name(of: reading.event)
    let full = Self.written(reading.event)
    var content = reading.decoder.content
    content.hasOptionals = false
    let sparse = Self.written(try BrowserEvent(kind, from: ProbingDecoder(content)))
    let (read, written) = (Set(reading.decoder.reads.map(\.name)), Set(full.map(\.name)))
    if let member = read.symmetricDifference(written).min() { throw Mismatch(kind: kind, member: member) }
    members = try full.map { member in
      guard let value = Self.value(member.name, reading.decoder) else { throw Mismatch(kind: kind, member: member.name) }
      let rest = sparse.first { $0.name == member.name }
      return Member(name: member.name, value: value, isOptional: rest == nil, isNullable: rest?.value == .null)
    }
  }

  /// Returns the encoded members of an event in their order.
  private static func written(_ event: BrowserEvent) -> [JSON.Member] { JSON(parsing: event.json)?.members ?? [] }

  private static func name(of event: BrowserEvent) -> String {
    guard let payload = Mirror(reflecting: event).children.first?.value else { return "" }
    let form = Mirror(reflecting: payload)
    let suffix = form.displayStyle == .enum ? form.children.first?.label ?? "" : ""
    return "\(type(of: payload))" + suffix.prefix(1).uppercased() + suffix.dropFirst()
  }

  private static func value(_ name: String, _ decoder: ProbingDecoder) -> Value? {
    let text = decoder.content.texts[name].flatMap { given in Text.examples.first { $0.text == given }?.format } ?? .any
    switch decoder.reads.first(where: { $0.name == name })?.type {
    case ObjectIdentifier(String.self): return .text(text)
    case ObjectIdentifier([String].self): return .texts(text)
    case ObjectIdentifier(UInt8.self): return .byte
    case ObjectIdentifier(Int64.self): return .integer
    case ObjectIdentifier(Bool.self): return .flag
    case ObjectIdentifier([Reason].self): return .reasons
    case ObjectIdentifier(LogRetention.self): return .logRetention
    case ObjectIdentifier([PostbackOmission].self): return .omissions
    case ObjectIdentifier(JSON.self): return .json
    default: return nil
    }
  }
}

extension EventForm {
  /// Returns the forms without those that differ from another only in a word, or only lack some of its members.
  private static func merged(_ forms: [EventForm]) -> [EventForm] {
    var found: [EventForm] = []
    for form in forms.sorted(by: { $0.members.count > $1.members.count }) {
      if let index = found.firstIndex(where: { $0.hasMembers(of: form) }) {
        found[index].addWords(of: form)
      } else {
        found.append(form)
      }
    }
    return found.reduce(into: []) { forms, form in
      if let index = forms.firstIndex(where: { form.isPart(of: $0) }) {
        forms[index].makeOptional(except: form)
      } else {
        forms.append(form)
      }
    }
  }

  private func hasMembers(of other: EventForm) -> Bool {
    name == other.name && members.map(\.name) == other.members.map(\.name)
  }

  private mutating func addWords(of other: EventForm) {
    for (index, member) in other.members.enumerated() {
      if case (.text(.words(let own)), .text(.words(let more))) = (members[index].value, member.value) {
        members[index].value = .text(.words(own.union(more)))
      }
    }
  }

  private func isPart(of other: EventForm) -> Bool {
    name == other.name
      && members.allSatisfy { member in other.members.contains { $0.name == member.name && $0.value == member.value } }
  }

  private mutating func makeOptional(except form: EventForm) {
    for index in members.indices where !form.members.contains(where: { $0.name == members[index].name }) {
      members[index].isOptional = true
    }
  }
}
