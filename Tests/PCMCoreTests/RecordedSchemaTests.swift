import Testing

/// The recorded schemas, in one test, because the recording of each changes the same file.
@Suite struct RecordedSchemaTests {
  @Test("The document contains the recorded schemas of request bodies and events")
  func recorded() throws {
    try RecordedSchemas.check(RequestSchemaTests.schemas + EventSchema.all())
  }
}
