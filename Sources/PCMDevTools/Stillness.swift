/// Whether nothing has happened since all pages were asked to answer.
///
/// An answer proves that the events before its question were received. While another page is slow to answer, an event may follow
/// the answer of its own page, so the pages must be asked again.
struct Stillness {
  private var mark: Int?

  /// The pages are asked.
  ///
  /// - Parameter activity: The number of events until now.
  mutating func ask(at activity: Int) { mark = activity }

  /// - Parameter activity: The number of events until now.
  func holds(at activity: Int) -> Bool { mark == activity }
}
