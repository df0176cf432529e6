package import PCMCore
import PCMStore

extension PageEventInput: DecidedOperation {
  package static let isShort = true

  package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<NotedPageEvent> {
    let destination = attributionDestination.flatMap { browser.environment.url($0) }.flatMap { $0.host.isEmpty ? nil : $0.site }
    let event = PageObserved(
      kind.event, text: text ?? code?.text ?? "", code: code, href: href, page: pageURL, destination: destination)
    return Decision(isTimed: false) { .ended(NotedPageEvent(try $0.append(event, at: $1.now))) }
  }
}

/// An event that was noted for the observer of a real browser.
package struct NotedPageEvent: OperationOutcome {
  package let json: JSON

  fileprivate init(_ event: LogEvent) {
    json = ["sequence": .number(event.sequence), "at": .string(event.at.text)]
  }
}
