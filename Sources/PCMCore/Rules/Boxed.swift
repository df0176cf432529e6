/// A large value that never changes. Copies share it, and cost one reference each.
struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
  private final class Storage: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private let storage: Storage

  var value: Value { storage.value }

  init(_ value: Value) { storage = Storage(value) }

  static func == (left: Self, right: Self) -> Bool { left.storage === right.storage || left.value == right.value }
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
