package import PCMCore

extension BrowserAttachment {
  /// The members of the attachment in the API, without its name.
  package var members: [JSON.Member] {
    var members: [JSON.Member] = [.init("devtools", .string(settings.address.url))]
    if let context = settings.context { members.append(.init("context", .string(context))) }
    let hold = Interval(milliseconds: Int64(settings.hold / .milliseconds(1)))
    members += [.init("hold", .string(hold.text)), .init("state", .string(state.word))]
    switch state {
    case .connecting: break
    case .attached(let product): members.append(.init("product", .string(product)))
    case .ended(let reason): members.append(.init("reason", .string(reason.description)))
    }
    return members + [.init("counts", counts.json), .init("pending", pending.json)]
  }
}

extension BrowserAttachment.State {
  fileprivate var word: String {
    switch self {
    case .connecting: "connecting"
    case .attached: "attached"
    case .ended: "ended"
    }
  }
}

extension BrowserAttachment.Counts {
  fileprivate var json: JSON {
    [
      "clicks": .number(Int64(clicks)), "triggeringEvents": .number(Int64(triggeringEvents)),
      "dropped": .number(Int64(dropped)), "failedCalls": .number(Int64(failedCalls)),
    ]
  }
}

extension PageObserver.Pending {
  fileprivate var json: JSON {
    [
      "clicks": .number(Int64(clicks)), "heldRequests": .number(Int64(heldRequests)), "requests": .number(Int64(requests)),
    ]
  }
}

extension BrowserAttachment.Outcome {
  package var json: JSON {
    [
      "kind": .string(kind.rawValue), "url": .string(url), "request": request, "status": .number(Int64(status)),
      "response": response ?? [:],
    ]
  }
}

extension BrowserAttachment.Settlement {
  package var json: JSON {
    var (outcomes, dropped): ([JSON], [JSON]) = ([], [])
    for notice in notices {
      switch notice {
      case .called(let outcome): outcomes.append(outcome.json)
      case .dropped(let drop): dropped.append(drop.json)
      case .attached: break
      }
    }
    var members: [JSON.Member] = [.init("settled", .bool(isSettled)), .init("state", .string(state.word))]
    if case .ended(let reason) = state { members.append(.init("reason", .string(reason.description))) }
    return .object(
      members + [
        .init("outcomes", .array(outcomes)), .init("dropped", .array(dropped)), .init("pending", pending.json),
      ])
  }
}
