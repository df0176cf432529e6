import Foundation

/// Work on all cores with the results in the order of the input.
enum OrderedWork {
  /// - Parameters:
  ///   - read: Returns the next input; nil at the end. A few inputs are read ahead.
  ///   - finish: Receives each result, in order.
  static func perform<Input: Sendable, Output: Sendable>(
    read: () throws -> Input?, work: @escaping @Sendable (Input) -> Output, finish: (Output) throws -> Void
  ) async throws {
    let limit = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
    try await withThrowingTaskGroup(of: (Int, Output).self) { group in
      var (started, finished, isAtEnd, waiting) = (0, 0, false, [Int: Output]())
      while true {
        while !isAtEnd, started - finished < limit {
          guard let input = try read() else {
            isAtEnd = true
            break
          }
          group.addTask { [started] in (started, work(input)) }
          started += 1
        }
        guard finished < started else { return }
        while waiting[finished] == nil, let (index, output) = try await group.next() { waiting[index] = output }
        if let output = waiting.removeValue(forKey: finished) { try finish(output) }
        finished += 1
      }
    }
  }
}
