import Testing

/// The schema checker of the document's tests finds errors and rejects unsupported keywords.
@Suite struct JSONSchemaTests {
  private static let root = """
    {"components":{"schemas":{"Name":{"type":"string","pattern":"^[a-z]+$"}}}}
    """

  private func faults(_ value: String, _ schema: String) throws -> [String] {
    var checker = JSONSchema(root: try JSONValue(Self.root))
    return checker.faults(try JSONValue(value), try JSONValue(schema), at: "#").map(\.description)
  }

  @Test(
    arguments: [
      ("4", #"{"type":"integer","minimum":4,"maximum":4,"format":"int64"}"#), ("4.5", #"{"type":"number"}"#),
      ("null", #"{"type":["string","null"],"enum":["a",null]}"#), (#""ab""#, ##"{"$ref":"#/components/schemas/Name"}"##),
      (#"{"a":1}"#, #"{"type":"object","required":["a"],"properties":{"a":{"const":1},"b":{}}}"#),
      ("[1,2]", #"{"type":"array","items":{"type":"integer"},"maxItems":2}"#),
      ("null", #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#),
      ("1", #"{"oneOf":[{"type":"string"},{"type":"integer"}],"description":"d","title":"t","default":2}"#),
      (#"{"x":[]}"#, #"{"type":"object","additionalProperties":true}"#), ("{}", #"{"additionalProperties":false}"#),
      (#""2026-11-20T10:00:00.000Z""#, #"{"format":"date-time"}"#), (#""PT48H""#, #"{"format":"iso8601-duration"}"#),
      (#""é""#, #"{"minLength":1,"maxLength":1}"#), ("true", #"{"type":"boolean"}"#), (#""b""#, #"{"not":{"enum":["a"]}}"#),
      (#"{"k":"b"}"#, #"{"oneOf":[{"properties":{"k":{"const":"a"}}},{"properties":{"k":{"const":"b"}}}]}"#),
    ])
  func validValuesHaveNoErrors(_ value: String, _ schema: String) throws {
    #expect(try faults(value, schema) == [])
  }

  @Test(
    arguments: [
      ("4.5", #"{"type":"integer"}"#, "the value: is not of type integer"),
      ("true", #"{"type":"integer"}"#, "the value: is not of type integer"),
      ("1", #"{"type":["boolean","null"]}"#, "the value: is not of type boolean or null"),
      ("3", #"{"minimum":4}"#, "the value: is too small"), ("5", #"{"maximum":4}"#, "the value: is too large"),
      (#""""#, #"{"minLength":1}"#, "the value: is too short"), (#""ab""#, #"{"maxLength":1}"#, "the value: is too long"),
      (#""b""#, #"{"enum":["a"]}"#, #"the value: is none of ["a"]"#), ("2", #"{"const":1}"#, "the value: is not 1"),
      (#""A""#, ##"{"$ref":"#/components/schemas/Name"}"##, #"the value: does not match "^[a-z]+$""#),
      (#""A""#, ##"{"$ref":"#/components/schemas/None"}"##, "the value: #/components/schemas/None leads nowhere"),
      ("{}", #"{"required":["a","b"]}"#, "the value: lacks a, b"),
      (#"{"a":{"b":1}}"#, #"{"properties":{"a":{"properties":{}}}}"#, "/a/b: is not in the document"),
      (#"{"a":1}"#, #"{"additionalProperties":false}"#, "the value: has members"),
      (#"{"a":1}"#, #"{"additionalProperties":{"type":"string"}}"#, "/a: is not of type string"),
      (#"{"A":1}"#, #"{"propertyNames":{"pattern":"^[a-z]$"}}"#, #"/A: does not match "^[a-z]$""#),
      (#"{"a":1,"b":2}"#, #"{"maxProperties":1}"#, "the value: has too many members"),
      (#"[1,"x"]"#, #"{"items":{"type":"integer"}}"#, "/1: is not of type integer"),
      ("[]", #"{"minItems":1}"#, "the value: has too few items"),
      ("[1,2,3]", #"{"maxItems":2}"#, "the value: has too many items"),
      ("1", #"{"oneOf":[{"type":"integer"},{"type":"number"}]}"#, "the value: fits 2 branches of oneOf"),
      ("1", #"{"anyOf":[{"type":"null"}]}"#, "the value: fits 0 branches of anyOf"),
      (#""a""#, #"{"not":{"enum":["a"]}}"#, #"the value: is excluded by {"enum":["a"]}"#),
      (#"{"k":"b"}"#, #"{"oneOf":[{"properties":{"k":{"const":"a"}}}]}"#, "the value: fits 0 branches of oneOf"),
      (
        #"{"k":"b"}"#, #"{"oneOf":[{"required":["x"],"properties":{"k":{"const":"b"}}}]}"#,
        "the value: fits 0 branches of oneOf"
      ),
      (#""tomorrow""#, #"{"format":"date-time"}"#, #"the value: is no "date-time""#),
      (#""1h""#, #"{"format":"iso8601-duration"}"#, #"the value: is no "iso8601-duration""#),
      (#""a""#, #"{"format":"colour"}"#, #"the value: is no "colour""#),
      ("1", #"{"multipleOf":2}"#, "the value: the checker does not know the keyword multipleOf"),
      ("1", "true", "the value: # is no schema"),
    ])
  func invalidValuesAreReported(_ value: String, _ schema: String, _ fault: String) throws {
    #expect(try faults(value, schema).first == fault)
  }

  @Test func observedBranchesAreRecorded() throws {
    var checker = JSONSchema(root: try JSONValue(Self.root))
    let schema = try JSONValue(##"{"anyOf":[{"type":"null","properties":{"a":{}}},{"properties":{"a":{},"b":{}}}]}"##)
    #expect(checker.faults(try JSONValue(#"{"a":null}"#), schema, at: "#").isEmpty)
    #expect(checker.faults(try JSONValue(#"{"a":1}"#), schema, at: "#").isEmpty)
    #expect(checker.seen == ["#/anyOf/1/properties/a": ["null", "value"]])
  }
}
