package import Hummingbird

/// What travels with one request through the control API.
package struct APIContext: RequestContext {
  package var coreContext: CoreRequestContextStorage

  package init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// How much of a body is read.
enum BodyLimit {
  static let json = 65_536
  static let manifest = 1_048_576
}
