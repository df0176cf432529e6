import Foundation

/// Work on all cores with the results in the order of the input.
enum OrderedWork {
  /// - Parameters:
  ///   - read: Returns the next input; nil at the end. A few inputs are read ahead. An error ends the input.
  ///   - finish: Receives each result, in order.
  static func perform<Input: Sendable, Output: Sendable>(
    read: () throws -> Input?, work: @escaping @Sendable (Input) -> Output, finish: (Output) throws -> Void
  ) async throws {
    let limit = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
    try await withThrowingTaskGroup(of: (Int, Output).self) { group in
      var (started, finished, waiting) = (0, 0, [Int: Output]())
      var end: Result<Void, any Error>?
      while true {
        while end == nil, started - finished < limit {
          switch Result(catching: read) {
          case .success(let input?):
            group.addTask { [started] in (started, work(input)) }
            started += 1
          case .success(nil): end = .success(())
          case .failure(let error): end = .failure(error)
          }
        }
        if finished == started { return try end?.get() ?? () }
        while waiting[finished] == nil, let (index, output) = try await group.next() { waiting[index] = output }
        if let output = waiting.removeValue(forKey: finished) { try finish(output) }
        finished += 1
      }
    }
  }
}
