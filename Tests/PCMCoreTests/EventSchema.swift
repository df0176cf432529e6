import PCMCore
import Testing

/// The schemas of events: a schema for each kind, one for each type of details, and one for kinds that later versions add.
enum EventSchema {
  static func all() throws -> [(name: String, schema: JSON)] {
    var (events, details): ([(name: String, schema: JSON)], [(name: String, schema: JSON)]) = ([], [])
    for kind in EventKind.allCases {
      let (forms, recordsDecisions) = try EventForm.forms(of: kind)
      let name = try typeName(forms)
      for schema in try detail(name, forms) where !details.contains(where: { $0.name == schema.name }) {
        details.append(schema)
      }
      events.append((eventName(kind), try event(kind, detail: name + "Detail", recordsDecisions)))
    }
    let names = events.map(\.name) + [other.name]
    let union: JSON = [
      "description": "An event of a browser's log, by its kind. A later version may add kinds, which are `OtherEvent` here.",
      "oneOf": .array(names.map(reference)),
    ]
    return [("Event", union)] + events + [other] + details
  }
}

extension EventSchema {
  /// Returns the name of a type: the common part of the names of its forms.
  private static func typeName(_ forms: [EventForm]) throws -> String {
    let first = try #require(forms.first, "a kind has no sample; add one to Sample.events in Tests/StoreContract").name
    return forms.dropFirst().reduce(first) { String(zip($0, $1.name).prefix { $0 == $1 }.map(\.0)) }
  }

  private static func eventName(_ kind: EventKind) -> String {
    kind.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Event"
  }

  private static func reference(_ name: String) -> JSON { ["$ref": .string("#/components/schemas/\(name)")] }

  private static func event(_ kind: EventKind, detail: String, _ recordsDecisions: Bool) throws -> JSON {
    let text = try #require(kinds[kind], "\(kind) has no description")
    return event(text, kind: ["type": "string", "const": .string(kind.rawValue)], detail: reference(detail), recordsDecisions)
  }

  private static func event(_ text: String, kind: JSON, detail: JSON, _ recordsDecisions: Bool) -> JSON {
    let sequence: JSON = ["type": "integer", "description": "The number of the event, from 1.", "minimum": 1]
    // Generated clients read members in this order, and the kind decides.
    var properties: [JSON.Member] = [
      .init("kind", kind), .init("sequence", sequence), .init("at", instant("The time on the browser's clock.")),
      .init("detail", detail),
    ]
    if recordsDecisions { properties.append(.init("decision", reference("EventDecision"))) }
    return [
      "type": "object", "description": .string(text), "required": ["kind", "sequence", "at", "detail"],
      "properties": .object(properties),
    ]
  }

  /// Its kind excludes the known kinds, so that an event of a known kind has one schema.
  private static var other: (name: String, schema: JSON) {
    let known = JSON.array(EventKind.allCases.map { .string($0.rawValue) })
    let kind: JSON = ["type": "string", "description": "The kind of the event.", "not": ["enum": known]]
    let detail: JSON = ["type": "object", "description": "The details of the event.", "additionalProperties": .bool(true)]
    return (
      "OtherEvent", event("An event of a kind that a later version of the service adds.", kind: kind, detail: detail, true)
    )
  }

  private static func instant(_ text: String) -> JSON {
    [
      "type": "string", "description": .string(text), "format": "date-time",
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$",
    ]
  }

  /// Returns the schema of the details of a type, and for a type with several forms, the schemas of the forms.
  private static func detail(_ name: String, _ forms: [EventForm]) throws -> [(name: String, schema: JSON)] {
    guard forms.count > 1 else { return try forms.map { (name + "Detail", try form($0)) } }
    let schemas = try forms.map { ($0.name + "Detail", try form($0)) }
    let union: JSON = ["description": try description(name), "oneOf": .array(schemas.map { reference($0.0) })]
    return [(name + "Detail", union)] + schemas
  }

  private static func description(_ type: String) throws -> JSON {
    .string(try #require(types[type], "\(type) has no description"))
  }

  private static func form(_ form: EventForm) throws -> JSON {
    let required = form.members.filter { !$0.isOptional }.map { JSON.string($0.name) }
    return [
      "type": "object", "description": try description(form.name),
      "required": .array(required),
      "properties": .object(try form.members.map { .init($0.name, try schema($0, of: form.name)) }),
    ]
  }

  private static func schema(_ member: EventMember, of type: String) throws -> JSON {
    let found = notes["\(type).\(member.name)"] ?? notes[member.name]
    let note = try #require(found, "\(type).\(member.name) has no description")
    var members = try schema(member.value, "\(type).\(member.name)").members
    if member.isNullable { members = try nullable(members, "\(type).\(member.name)") }
    members.removeAll { given in note.keywords.contains { $0.name == given.name } }
    members.append(JSON.Member("description", .string(note.text)))
    return .object(members + note.keywords)
  }

  private static func nullable(_ members: [JSON.Member], _ place: String) throws -> [JSON.Member] {
    if members.contains(where: { $0.name == "$ref" }) { return [.init("anyOf", [.object(members), ["type": "null"]])] }
    var members = members
    let index = try #require(members.firstIndex { $0.name == "type" }, "\(place) cannot be null")
    members[index] = .init("type", [members[index].value, "null"])
    return members
  }

  private static func schema(_ value: EventMember.Value, _ place: String) throws -> JSON {
    switch value {
    case .text: return ["type": "string"]
    case .instant: return .object(instant("").members.filter { $0.name != "description" })
    case .record(let kind): return ["type": "string", "pattern": .string("^\(kind.rawValue)-[0-9]+$")]
    case .words(let words):
      if words.count == 1, let word = words.first { return ["type": "string", "const": .string(word)] }
      let name = vocabularies.first { $0.words == words }?.schema
      return reference(try #require(name, "\(place) has the words \(words), which no schema lists"))
    case .byte: return ["type": "integer", "minimum": 0, "maximum": 255]
    case .integer: return ["type": "integer"]
    case .flag: return ["type": "boolean"]
    case .list(let item): return ["type": "array", "items": try schema(item, place)]
    case .object(let name): return reference(name)
    case .json: return [:]
    }
  }

  /// The words that events have, by the schema of the document that lists them.
  static let vocabularies: [(schema: String, words: [String])] = [
    ("ClickOrigin", ClickOrigin.allCases.map(\.rawValue)), ("RecipientValue", Recipient.allCases.map(\.rawValue)),
    ("DeliveryPolicyValue", DeliveryPolicy.allCases.map(\.rawValue)),
    ("ReportURLChoiceValue", ReportURLChoice.allCases.map(\.rawValue)),
    ("AdFramework", AdFramework.allCases.map(\.rawValue)), ("AdInteractionType", InteractionType.allCases.map(\.rawValue)),
    ("PostbackRecipient", Postback.Recipient.allCases.map(\.rawValue)),
    ("CardAction", CardAction.allCases.map(\.rawValue)),
    ("DroppedClickCode", DroppedClick.allCases.map(\.rawValue)),
    ("TrackingSetting", SystemTrackingSetting.allCases.map(\.rawValue)),
  ]
}
