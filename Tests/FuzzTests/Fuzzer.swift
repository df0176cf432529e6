import Foundation

/// The target that the environment names.
private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["PCM_FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    fatalError("PCM_FUZZ_TARGET names no target: \(name)")
  }
  return target
}()

/// Reads one input of libFuzzer, which calls this function and provides the main function of the program.
@_cdecl("LLVMFuzzerTestOneInput")
public func readInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    _ = try target.read(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError("\(target.name): \(error)")
  }
  return 0
}
