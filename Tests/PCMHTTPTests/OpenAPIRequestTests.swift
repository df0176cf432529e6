import DevToolsSupport
import HTTPTypes
import PCMDevTools
import Testing

/// The bodies that the document describes are the bodies that the service reads: the same members, the same ones
/// required, and none that may be null. And its examples are true.
@Suite struct OpenAPIRequestTests {
  /// An object within a body, as the document has it.
  private struct Described {
    let path: [String]
    /// The schemas of its members, by name, of the first variant that has them.
    var members: [String: JSONValue] = [:]
    /// What every variant requires.
    var required: Set<String>
    var isChoice = false

    func pointer(_ name: String) -> String { (path + [name]).map { "/\($0)" }.joined() }
  }

  /// The objects of a body, the outermost first.
  private static func objects(_ schema: JSONValue, path: [String] = [], in document: OpenAPIDocument) throws -> [Described] {
    let schema = try document.resolved(schema)
    let variants = try (schema["oneOf"]?.array ?? [schema]).map(document.resolved)
    guard variants.allSatisfy({ $0["properties"] != nil }) else {
      return try (schema["anyOf"]?.array ?? []).flatMap { try objects($0, path: path, in: document) }
    }
    var own = Described(path: path, required: Set(variants[0]["required"]?.strings ?? []))
    own.isChoice = variants.count > 1
    for variant in variants {
      #expect(variant["additionalProperties"] == .bool(false), "the service refuses unknown members: \(path)")
      own.required.formIntersection(variant["required"]?.strings ?? [])
      own.members.merge(variant["properties"]?.object ?? [:]) { first, _ in first }
    }
    return try [own] + own.members.sorted { $0.key < $1.key }.flatMap { try objects($1, path: path + [$0], in: document) }
  }

  /// A body with another value at a path.
  private static func body(_ body: JSONValue, at path: [String], _ change: (inout [String: JSONValue]) -> Void) -> JSONValue {
    var members = body.object ?? [:]
    if let first = path.first {
      members[first] = self.body(members[first] ?? .object([:]), at: Array(path.dropFirst()), change)
    } else {
      change(&members)
    }
    return .object(members)
  }

  /// - Parameter impression: The name of an ad.
  private static func send(
    _ operation: OpenAPIDocument.Operation, _ body: JSONValue, to api: API, impression: String = "impression-1"
  ) async throws -> API.Answer {
    // The scene's browser exists, so only a new one takes what is fixed at creation.
    let isCreation = ["putBrowser", "putDevice"].contains(operation.value["operationId"]?.string)
    let name = isCreation ? "new" : "test"
    let path = operation.path.replacing("{browser}", with: name).replacing("{device}", with: name).replacing(
      "{bundleIdentifier}", with: "com.example.news"
    ).replacing("{host}", with: "a.example").replacing("{adNetwork}", with: DeviceAds.network).replacing(
      "{impression}", with: impression
    ).replacing("{idString}", with: "stand")
    if isCreation { try await api.call(.delete, path) }
    let method = try #require(HTTPRequest.Method(operation.method))
    return try await api.call(method, path, body.text)
  }

  /// Calls back for each JSON body of the document, with an example of it that has every object.
  private func forEachBody(
    _ look: @escaping @Sendable (API, OpenAPIDocument, OpenAPIDocument.Operation, [Described], JSONValue) async throws -> Void
  ) async throws {
    try await API.test { api in
      let document = try await OpenAPIDocument(api)
      var count = 0
      for operation in document.operations {
        guard let request = operation.value["requestBody"], request["content"]?["application/json"] != nil else { continue }
        // Scenario files and their parts have another reader, with its own words and tests.
        guard !["playScenario", "putSite", "putDeviceSite"].contains(operation.value["operationId"]?.string) else { continue }
        let (schema, examples) = try document.content(request, "application/json")
        let fullest = try #require(examples.values.max { $0.text.count < $1.text.count })
        try await look(api, document, operation, try Self.objects(schema, in: document), fullest)
        count += 1
      }
      #expect(count >= 20, "bodies were looked at")
    }
  }

  @Test func theDocumentHasTheMembersOfTheService() async throws {
    try await forEachBody { api, _, operation, objects, example in
      for object in objects {
        let stranger = Self.body(example, at: object.path) { $0 = ["no-such-member": .number(0)] }
        let answer = try await Self.send(operation, stranger, to: api)
        #expect(answer.status == 422, "\(operation.name)")
        let expected = object.required.union(["no-such-member"]).map(object.pointer)
        #expect(try Set(answer.pointers) == Set(expected), "\(operation.name) \(object.path)")
        let known = answer.text.split(separator: "known are ").last?.prefix { $0 != "\"" && $0 != ";" } ?? ""
        #expect(known.split(separator: ", ").map(String.init) == object.members.keys.sorted(), "\(operation.name)")
      }
    }
  }

  @Test func noMemberMayBeNull() async throws {
    try await forEachBody { api, document, operation, objects, example in
      for object in objects where object.path != ["noReport"] {
        for (name, member) in object.members {
          var checker = JSONSchema(root: document.root)
          #expect(!checker.faults(.null, member, at: "#").isEmpty, "\(operation.name) \(object.pointer(name))")
          let answer = try await Self.send(operation, Self.body(example, at: object.path) { $0[name] = .null }, to: api)
          #expect(try answer.pointers == [object.pointer(name)], "\(operation.name) \(answer.text)")
        }
      }
    }
  }

  @Test func membersOfOtherTypesAreRejectedWithTheirPointer() async throws {
    try await forEachBody { api, _, operation, objects, example in
      for object in objects {
        for (name, member) in object.members {
          let isList = member["type"] == .string("array")
          let wrong = Self.body(example, at: object.path) { $0[name] = isList ? .number(1) : .array([.bool(true)]) }
          let answer = try await Self.send(operation, wrong, to: api)
          #expect(answer.status == 422, "\(operation.name) \(name)")
          #expect(try answer.pointers.contains(object.pointer(name)), "\(operation.name): \(answer.text)")
        }
      }
    }
  }

  @Test func theDocumentHasTheQueryParametersOfTheService() async throws {
    try await API.test { api in
      let document = try await OpenAPIDocument(api)
      for operation in document.operations where operation.path.hasPrefix("/v1") {
        let parameters = try (operation.value["parameters"]?.array ?? []).map(document.resolved)
        let names = parameters.filter { $0["in"] == .string("query") }.compactMap { $0["name"]?.string }
        let method = try #require(HTTPRequest.Method(operation.method))
        let path = operation.path.replacing("{browser}", with: "test").replacing("{device}", with: "test")
          .replacing("{bundleIdentifier}", with: "a").replacing("{host}", with: "a.example")
        let answer = try await api.call(method, path.replacing("{report}", with: "report-1") + "?no-such-parameter=1")
        #expect(answer.status == 422, "\(operation.name)")
        let known = answer.text.split(separator: "use one of ").dropFirst().first?.prefix { $0 != "\"" } ?? ""
        #expect(Set(known.split(separator: ", ").map(String.init)) == Set(names), "\(operation.name)")
      }
    }
  }

  @Test func theDocumentDistinguishesRepeatableParameters() async throws {
    try await API.test { api in
      let document = try await OpenAPIDocument(api)
      for operation in document.operations where operation.path.hasPrefix("/v1") {
        for parameter in try (operation.value["parameters"]?.array ?? []).map(document.resolved) {
          guard parameter["in"] == .string("query"), let name = parameter["name"]?.string else { continue }
          let isRepeatable = parameter["schema"]?["type"] == .string("array")
          if isRepeatable {
            #expect(parameter["style"] == .string("form") && parameter["explode"] == .bool(true), "\(name)")
          }
          let method = try #require(HTTPRequest.Method(operation.method))
          let path = operation.path.replacing("{browser}", with: "test").replacing("{device}", with: "test")
          let answer = try await api.call(method, path + "?\(name)=delivered&\(name)=failed")
          #expect(answer.text.contains("the parameter occurs 2 times") == !isRepeatable, "\(operation.name) \(name)")
        }
      }
    }
  }

  @Test func everyExampleOfABodyIsAccepted() async throws {
    try await API.test { api in
      let document = try await OpenAPIDocument(api)
      for operation in document.operations {
        for (mediaType, _) in operation.value["requestBody"]?["content"]?.object ?? [:] {
          let (schema, examples) = try document.content(try #require(operation.value["requestBody"]), mediaType)
          #expect(!examples.isEmpty, "\(operation.name)")
          for (name, example) in examples {
            var checker = JSONSchema(root: document.root)
            #expect(checker.faults(example, schema, at: "#") == [], "\(operation.name) \(name)")
            try await Self.accepts(operation, example, mediaType)
          }
        }
      }
    }
  }

  private static func accepts(
    _ operation: OpenAPIDocument.Operation, _ example: JSONValue, _ mediaType: String
  ) async throws {
    guard !operation.path.contains("/attachments") else { return try await attaches(operation, example) }
    try await API.test { api in
      let impression = operation.path.hasPrefix("/v1/devices/") ? try await api.prepareDevice() : ""
      if operation.path.contains("{idString}") {
        let cards = #"{"cards":[{"idString":"stand","created":1,"dismissible":true,"extras":{"class_type":"pcm_ad"}}]}"#
        try await api.call(.put, "/v1/devices/test/apps/com.example.news/cards", cards)
      }
      let answer =
        if mediaType == "application/json" {
          try await send(operation, example, to: api, impression: impression)
        } else if operation.value["operationId"] == .string("playScenario") {
          try await api.call(.post, operation.path, example.string ?? "", type: mediaType)
        } else {
          try await api.call(
            .put,
            operation.path.replacing("{browser}", with: "test").replacing("{device}", with: "test")
              .replacing("{bundleIdentifier}", with: "com.example.news").replacing("{host}", with: "a.example"),
            example.string ?? "", type: mediaType)
        }
      #expect((200..<300).contains(answer.status), "\(operation.name): \(answer.text)")
    }
  }

  /// The example with the address of a browser that is there, or the wait for its attachment.
  private static func attaches(_ operation: OpenAPIDocument.Operation, _ example: JSONValue) async throws {
    let browser = try await FakeBrowser()
    try await API.test { api in
      let isSettlement = operation.path.hasSuffix("/settle")
      let address = #"{"devtools":"\#(browser.address.url)"}"#
      let body = isSettlement ? address : example.text.replacing("http://127.0.0.1:9222", with: browser.address.url)
      let attached = try await api.call(.post, "/v1/browsers/test/attachments", body)
      #expect(attached.status == 201, "\(attached.text)")
      guard isSettlement else { return }
      let settled = try await api.call(.post, "\(Story.attachment)/settle", example.text)
      #expect(settled.status == 200, "\(settled.text)")
    }
  }

  @Test func everyExampleMatchesItsSchema() async throws {
    try await API.test { api in
      let document = try await OpenAPIDocument(api)
      var checker = JSONSchema(root: document.root)
      for operation in document.operations {
        for parameter in try (operation.value["parameters"]?.array ?? []).map(document.resolved) {
          guard let example = parameter["example"], let schema = parameter["schema"] else { continue }
          #expect(checker.faults(example, schema, at: "#") == [], "\(operation.name): \(parameter["name"]?.string ?? "")")
        }
        for (status, answer) in operation.value["responses"]?.object ?? [:] {
          let answer = try document.resolved(answer)
          for mediaType in (answer["content"]?.object ?? [:]).keys {
            let (schema, examples) = try document.content(answer, mediaType)
            #expect(!examples.isEmpty, "\(operation.name) \(status)")
            for example in examples.values {
              #expect(checker.faults(example, schema, at: "#") == [], "\(operation.name) \(status)")
              if mediaType == "application/problem+json" { #expect(example["status"]?.text == status) }
            }
          }
        }
      }
    }
  }
}
