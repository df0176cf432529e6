/// Decides at regular intervals whether to return free memory to the system.
///
/// The measure is the least resident memory after a trim. A trim while memory is in use returns little, and memory that stays
/// in use cannot be returned at all. Therefore trims without an effect are repeated at growing intervals, up to a limit.
struct TrimSchedule {
  /// The amount of memory that is worth a search for free pages.
  static let step = 33_554_432

  private var least: Int
  /// The number of intervals without a trim that follow a trim without an effect.
  private var pause = 0
  private var remainingPause = 0

  private static let longestPause = 15

  /// - Parameter resident: The resident memory of the process.
  init(resident: Int) {
    least = resident
  }

  /// Returns whether to trim at the end of an interval.
  mutating func shouldTrim(resident: Int) -> Bool {
    guard resident > least + Self.step else { return false }
    guard remainingPause == 0 else {
      remainingPause -= 1
      return false
    }
    return true
  }

  /// Records a trim.
  ///
  /// - Parameters:
  ///   - before: The resident memory before the trim.
  ///   - after: The resident memory after the trim.
  mutating func note(resident before: Int, afterTrim after: Int) {
    least = min(least, after)
    pause = before - after >= Self.step ? 0 : min(2 * pause + 1, Self.longestPause)
    remainingPause = pause
  }
}
