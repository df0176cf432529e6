import Testing

@testable import PCMDevTools

@Suite struct StillnessTests {
  @Test("An event after the question needs another question, however late the answer comes")
  func events() {
    var stillness = Stillness()
    #expect(!stillness.holds(at: 0))
    stillness.ask(at: 3)
    #expect(stillness.holds(at: 3))
    #expect(!stillness.holds(at: 4))
    stillness.ask(at: 4)
    #expect(stillness.holds(at: 4))
  }
}
