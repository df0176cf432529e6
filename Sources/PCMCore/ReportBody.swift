/// The body of a report: the same bytes to source and destination (reference, section 7.1).
package enum ReportBody {
  /// The protocol version that a browser writes whatever the report contains (reference, section 9).
  package static let version: Int64 = 3

  /// Members in the order of the wire. Priority, nonce, app and times are never sent.
  package static func json(of click: Click, trigger: Trigger) -> JSON {
    [
      "source_engagement_type": "click",
      "source_site": .string(click.key.source.domain),
      "source_id": .number(Int64(click.sourceID)),
      "attributed_on_site": .string(click.key.destination.domain),
      "trigger_data": .number(Int64(trigger.data)),
      "version": .number(version),
    ]
  }

  /// `https://<registrable domain>/.well-known/private-click-measurement/report-attribution/`.
  package static func url(at site: Site) -> String {
    "https://\(site.domain)/.well-known/private-click-measurement/report-attribution/"
  }
}
