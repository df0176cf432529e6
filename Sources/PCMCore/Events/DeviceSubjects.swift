extension BrowserEvent {
  /// The subjects of an event of the device; empty for other events.
  ///
  /// - Parameter sequence: The number of the event, which an install has, too.
  func deviceSubjects(at sequence: Int64) -> [EventSubject] {
    switch self {
    case .adNetworkRegistered(let event): [.adNetwork(event.adNetworkIdentifier)]
    case .impressionStarted(let event), .impressionRecorded(let event), .impressionRejected(let event):
      [.impression(event.impression)] + event.subject.subjects
    case .impressionTapped(let event):
      [.impression(event.ad.impression), .app(bundleIdentifier: event.openedApp)] + event.ad.subject.subjects
        + (event.conversion.map { [.conversion($0)] } ?? [])
    case .impressionRemoved(let event): [.impression(event.impression)]
    case .signedPayloadRequested(let event): [.impression(event.impression)]
    case .appInstalled(let event):
      [.install(sequence), .app(bundleIdentifier: event.bundleIdentifier)] + (event.conversion.map { [.conversion($0)] } ?? [])
    case .impressionCompared(let event):
      [.impression(event.impression), .install(event.install), .app(bundleIdentifier: event.bundleIdentifier)]
        + (event.conversion.map { [.conversion($0)] } ?? [])
    case .appLaunched(let event): [.app(bundleIdentifier: event.bundleIdentifier)]
    case .conversionStarted(let event):
      [.conversion(event.conversion), .app(bundleIdentifier: event.bundleIdentifier)]
        + ([event.impression] + event.runnersUp).map { .impression($0) }
    case .conversionValueAccepted(let event), .conversionValueRejected(let event):
      (event.conversion.map { [.conversion($0)] } ?? []) + [.app(bundleIdentifier: event.bundleIdentifier)]
    case .postbackScheduled(let event):
      [.postback(event.postback), .conversion(event.conversion), .impression(event.impression)]
    case .postbackDropped(let event):
      [.conversion(event.conversion)] + (event.impression.map { [.impression($0)] } ?? [])
    case .postbackSent(let event): [.postback(event.postback)]
    case .postbackDelivered(let event), .postbackFailed(let event), .postbackRetryScheduled(let event):
      [.postback(event.postback)]
    default: []
    }
  }
}

extension ImpressionSubject {
  fileprivate var subjects: [EventSubject] {
    (sourceApp.map { [.app(bundleIdentifier: $0)] } ?? []) + (adNetworkIdentifier.map { [.adNetwork($0)] } ?? [])
  }
}
