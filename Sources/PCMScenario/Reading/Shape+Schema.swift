package import PCMCore

extension ScenarioFormat {
  /// The JSON Schema of a scenario file, draft 2020-12: `Fixtures/scenario.schema.json`.
  package static var schema: JSON { file.document(title: "pcm-browser scenario", example: example) }

  private static let example: JSON = [
    "scenario": "A click is stored",
    "apps": ["com.example.news": ["reportEndpoint": "https://news.example"]],
    "steps": [
      [
        "event-attribution": [
          "bundleIdentifier": "com.example.news", "sourceIdentifier": 4, "destinationURL": "https://shop.example/",
        ],
        "expect": ["outcome": "stored", "reasons": []],
      ]
    ],
  ]
}

extension Shape {
  /// The JSON Schema of a file, draft 2020-12.
  package func document(title: String, example: JSON) -> JSON {
    var definitions: [String: JSON] = [:]
    guard case .object(let members) = schema(&definitions) else { return [:] }
    return .object(
      [
        .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
        .init("title", .string(title)),
      ] + members + [
        .init("examples", [example]),
        .init("$defs", .object(definitions.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })),
      ])
  }

  /// - Parameter definitions: The definitions of named shapes, which the call extends.
  fileprivate func schema(_ definitions: inout [String: JSON]) -> JSON {
    switch self {
    case .any: return [:]
    case .flag: return ["type": "boolean"]
    case .yes: return ["const": .bool(true)]
    case .integer(let range):
      let bounds = range.map {
        [JSON.Member("minimum", .number($0.lowerBound)), JSON.Member("maximum", .number($0.upperBound))]
      }
      return .object([.init("type", "integer")] + (bounds ?? []))
    case .number: return ["type": "number"]
    case .share: return ["type": "number", "minimum": 0, "maximum": 1]
    case .text(let format): return .object([.init("type", "string")] + format.keywords)
    case .choice(let choices): return ["enum": .array(choices.map { .string($0) })]
    case .list(let item, let counts):
      return [
        "type": "array", "items": item.schema(&definitions), "minItems": .number(Int64(counts.lowerBound)),
        "maxItems": .number(Int64(counts.upperBound)),
      ]
    case .window:
      return [
        "type": "array", "description": "Two durations since the start, the first before the second: half-open.",
        "items": Shape.text(.duration).schema(&definitions), "minItems": 2, "maxItems": 2,
        "examples": [["PT27H", "PT51H"]],
      ]
    case .object(let object): return object.schema(&definitions)
    case .map(let format, let shape):
      let names = Shape.text(format).schema(&definitions)
      return ["type": "object", "propertyNames": names, "additionalProperties": shape.schema(&definitions)]
    case .oneOf(let shapes): return ["anyOf": .array(shapes.map { $0.schema(&definitions) })]
    case .nullable(let shape): return ["anyOf": [shape.schema(&definitions), ["type": "null"]]]
    case .named(let name, let shape):
      if definitions[name] == nil { definitions[name] = shape.schema(&definitions) }
      return ["$ref": .string("#/$defs/\(name)")]
    }
  }
}

extension TextFormat {
  fileprivate var keywords: [JSON.Member] {
    [
      pattern.map { JSON.Member("pattern", .string($0)) },
      lengths.map { JSON.Member("minLength", .number(Int64($0.lowerBound))) },
      lengths.map { JSON.Member("maxLength", .number(Int64($0.upperBound))) },
      example.map { JSON.Member("examples", [.string($0)]) },
    ].compactMap { $0 }
  }
}

extension ObjectShape {
  fileprivate func schema(_ definitions: inout [String: JSON]) -> JSON {
    var properties: [JSON.Member] = []
    for member in members {
      // A description next to a reference describes the member. The definition describes the type.
      let description = JSON.Member("description", .string(member.description + "."))
      properties.append(
        .init(
          member.name, .object([description] + member.shape.schema(&definitions).members.filter { $0.name != "description" })))
    }
    let required = members.filter(\.isRequired).map { JSON.string($0.name) }
    return .object(
      [.init("type", "object"), .init("description", .string(description))]
        + (required.isEmpty ? [] : [.init("required", .array(required))])
        + [.init("properties", .object(properties)), .init("additionalProperties", .bool(false))]
        + (rules.isEmpty ? [] : [.init("allOf", .array(rules.map(\.schema)))]))
  }
}

extension ObjectShape.Rule {
  fileprivate var schema: JSON {
    switch self {
    case .atLeastOne(let names): return ["anyOf": .array(names.map(Self.has))]
    case .atMostOne(let names):
      let none: JSON = ["not": ["anyOf": .array(names.map(Self.has))]]
      return ["oneOf": .array(names.map(Self.has) + [none])]
    case .alone(let name): return ["if": Self.has(name), "then": ["maxProperties": 1]]
    }
  }

  private static func has(_ name: String) -> JSON { ["required": [.string(name)]] }
}
