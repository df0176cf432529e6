package import PCMCore
import PCMCrypto
package import PCMDevice
import PCMManifest

// The records of a device as the API returns them.

extension AdNetworkRecord {
  package var json: JSON {
    [
      "adNetworkIdentifier": .string(identifier), "publicKey": .string(publicKey), "postbackURL": .string(postbackURL),
      "findings": .array(ManifestFinding.ofRegistration(identifier).map(\.json)),
    ]
  }
}

extension ImpressionTable {
  /// The ads ordered by number.
  package var listed: [(id: Int64, json: JSON)] {
    let recorded = kept.map { ($0.id, $0.json("recorded", $0.impression.interaction)) }
    let displayed = open.map { ($0.id, $0.json("displayed", nil)) }
    return (recorded + displayed).sorted { $0.0 < $1.0 }
  }
}

extension KeptImpression {
  fileprivate func json(_ state: String, _ interaction: InteractionType?) -> JSON {
    [
      "id": .string(RecordName.impression(id)), "state": .string(state), "at": .string(impression.recordedAt.text),
      "framework": .string(impression.framework.rawValue), "version": .string(impression.version?.rawValue),
      "interaction": .string(interaction?.rawValue), "bundleIdentifier": .string(impression.sourceApp),
      "adNetworkIdentifier": .string(impression.adNetworkIdentifier),
      "advertisedAppStoreItemIdentifier": .number(impression.advertisedAppStoreItemIdentifier),
      "development": .bool(impression.isDevelopment),
    ]
  }
}

extension InstalledApp {
  package var json: JSON {
    [
      "bundleIdentifier": .string(bundleIdentifier), "itemIdentifier": .number(itemIdentifier),
      "installedAt": .string(installedAt.text), "launchedAt": .instant(launchedAt),
      "conversions": .array(conversions.pending.map(\.json)),
    ]
  }
}

extension Conversion {
  var json: JSON {
    [
      "id": .string(RecordName.conversion(id)), "type": .string(type.rawValue),
      "framework": .string(winner.impression.framework.rawValue), "winnerId": .string(RecordName.impression(winner.id)),
      "runnerUpIds": .array(runnersUp.map { .string(RecordName.impression($0.id)) }), "conversionTag": .string(tag),
      "convertedAt": .string(convertedAt.text), "firstLaunchAt": .instant(firstLaunchAt),
      "nextChangeAt": .instant(nextChange), "crowdTiers": crowd.json,
    ]
  }
}

extension Postback {
  /// The complete postback.
  package var json: JSON { json(with: Set(ReportPart.allCases)) }

  package func json(with parts: Set<ReportPart>) -> JSON {
    let members: [JSON.Member] = [
      .init("id", .string(RecordName.postback(id))), .init("conversionId", .string(RecordName.conversion(conversion))),
      .init("impressionId", .string(RecordName.impression(impression))), .init("framework", .string(framework.rawValue)),
      .init("sequenceIndex", .number(Int64(sequenceIndex))), .init("didWin", .bool(didWin)),
      .init("recipient", .string(recipient.rawValue)), .init("adNetworkIdentifier", .string(adNetworkIdentifier)),
      .init("bundleIdentifier", .string(bundleIdentifier)), .init("url", .string(url)), .init("dueAt", .string(dueAt.text)),
      .init("retryAt", .instant(retryAt)), .init("state", .string(state.rawValue)),
    ]
    return .object(members + .sent(body: body, attempts: attempts, attemptCount: attemptCount, with: parts))
  }
}
