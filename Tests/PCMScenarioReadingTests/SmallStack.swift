import Foundation
import PCMScenario

/// Reads on a thread with as small a stack as those have on which the service reads bodies on other systems.
func faultsOnSmallStack(_ file: [UInt8]) -> [ScenarioFault] {
  let result = Result()
  let thread = Thread {
    let found = faults(file)
    result.condition.withLock {
      result.faults = found
      result.condition.signal()
    }
  }
  thread.stackSize = 512 * 1_024
  thread.start()
  return result.condition.withLock {
    while true {
      if let faults = result.faults { return faults }
      result.condition.wait()
    }
  }
}

/// `@unchecked`: the value is only touched under the condition's lock.
private final class Result: @unchecked Sendable {
  let condition = NSCondition()
  var faults: [ScenarioFault]?
}
