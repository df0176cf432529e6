import PCMCore
import PCMDevice
import PCMStore

// The rows of the device, and its modes.

extension Redating {
  func redatePostbacks(after number: Int64, by ahead: Interval, in writer: any BrowserWriter) throws -> [String] {
    let postbacks = try writer.postbacks(in: .scheduled, after: number, limit: Self.rows)
    for var postback in postbacks {
      guard let next = postback.message.nextAttemptAt else { continue }
      if postback.message.retryAt != nil {
        let latest = now + RetryPolicy.postback.backoff.maximum
        if next > latest { postback.message.move(retryAt: latest) }
      } else {
        let latest = now + PostbackDelay.longest
        if next > latest { postback.message.move(dueAt: next - ahead > now ? min(next - ahead, latest) : latest) }
      }
      if postback.message.nextAttemptAt != next { try writer.save(postback) }
    }
    return postbacks.map { "\($0.id)" }
  }

  func redateInstalledApps(after name: String, by ahead: Interval, in writer: any BrowserWriter) throws -> [String] {
    let apps = try writer.installedApps(after: name, limit: Self.rows)
    // As in `redated`: what another clock recorded becomes the present.
    let ahead = before == nil ? Interval(milliseconds: 0) : ahead
    for app in apps {
      var corrected = app
      corrected.installedAt = app.installedAt.redated(at: present, by: ahead)
      corrected.launchedAt = app.launchedAt?.redated(at: present, by: ahead)
      corrected.conversions.redate(at: present, by: ahead)
      if corrected != app { try writer.save(corrected) }
    }
    return apps.map(\.bundleIdentifier)
  }

  func redateImpressions(after name: String, by ahead: Interval, in writer: any BrowserWriter) throws -> [String] {
    let impressions = try writer.keptImpressions(after: name, limit: Self.rows)
    for kept in impressions {
      var corrected = kept
      corrected.impression.recordedAt = redated(kept.impression.recordedAt, by: ahead)
      if corrected != kept { try writer.save(corrected) }
    }
    return impressions.map { RecordName.impression($0.id) }
  }

  func redateViews(after name: String, by ahead: Interval, in writer: any BrowserWriter) throws -> [String] {
    let views = try writer.appImpressions(after: name, limit: Self.rows)
    for ad in views {
      var corrected = ad
      corrected.kept.view.startedAt = redated(ad.kept.view.startedAt, by: ahead)
      corrected.endedAt = ad.endedAt.map { redated($0, by: ahead) }
      if corrected != ad { try writer.save(corrected) }
    }
    return views.map { RecordName.impression($0.kept.id) }
  }

  func redated(_ device: Device, by ahead: Interval) -> Device {
    var corrected = device
    corrected.developerModeSince = device.developerModeSince.map { redated($0, by: ahead) }
    corrected.testingProfileSince = device.testingProfileSince.map { redated($0, by: ahead) }
    return corrected
  }
}
