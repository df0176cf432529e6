import PCMCore

/// A record of the device that an explanation is about.
package enum DeviceSubject: Hashable, Sendable {
  case impression(Int64)
  case install(Int64)
  case conversion(Int64)
  case postback(Int64)

  /// - Returns: Nil for the name of another record, and for other text.
  init?(_ name: String) {
    let kinds: [(RecordName.Kind, (Int64) -> DeviceSubject)] = [
      (.impression, DeviceSubject.impression), (.install, DeviceSubject.install), (.conversion, DeviceSubject.conversion),
      (.postback, DeviceSubject.postback),
    ]
    for (kind, subject) in kinds {
      guard let id = kind.number(name) else { continue }
      self = subject(id)
      return
    }
    return nil
  }

  var number: Int64 {
    switch self {
    case .impression(let id), .install(let id), .conversion(let id), .postback(let id): id
    }
  }

  var subject: Explanation.Subject {
    switch self {
    case .impression(let id): .impression(id)
    case .install(let id): .install(id)
    case .conversion(let id): .conversion(id)
    case .postback(let id): .postback(id)
    }
  }

  var eventSubject: EventSubject {
    switch self {
    case .impression(let id): .impression(id)
    case .install(let id): .install(id)
    case .conversion(let id): .conversion(id)
    case .postback(let id): .postback(id)
    }
  }

  var kind: String { subject.kind }
  var name: String { subject.id }
}
