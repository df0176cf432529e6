import NIOConcurrencyHelpers
import NIOCore
import PCMDevice

/// The values of stored ads, by their text. A decision about an ad reads all ads of its device, and decoding one takes much longer
/// than reading its row.
///
/// A value depends on its text only. So the ads of all browsers share the memory, and nothing is removed when one changes.
final class DecodedAds: Sendable {
  /// The ads of two devices that keep as many as possible.
  static let capacity = 2 * Browser.maximumImpressionCount

  let kept = DecodedTexts<KeptImpression>(capacity: capacity)
  let views = DecodedTexts<AppImpression>(capacity: capacity)
}

/// The values of texts. Of twice the capacity, those that were not used recently are forgotten together.
final class DecodedTexts<Value: Sendable>: Sendable {
  private let capacity: Int
  private let values = NIOLockedValueBox(Values())

  /// By their bytes: strings would also be equal when they are canonically equivalent.
  private struct Values {
    var recent: [ByteBuffer: Value] = [:]
    var earlier: [ByteBuffer: Value] = [:]
  }

  init(capacity: Int) {
    self.capacity = capacity
  }

  var count: Int { values.withLockedValue { $0.recent.count + $0.earlier.count } }

  /// Returns the value of a text, which `decode` determines unless it is known. An error is not kept.
  func value(of text: String, _ decode: () throws -> Value) rethrows -> Value {
    let text = ByteBuffer(string: text)
    let (value, isRecent) = values.withLockedValue { values -> (Value?, Bool) in
      if let value = values.recent[text] { return (value, true) }
      return (values.earlier[text], false)
    }
    if let value, isRecent { return value }
    let decoded = try value ?? decode()
    values.withLockedValue { values in
      if values.recent.count >= capacity { values = Values(earlier: values.recent) }
      values.recent[text] = decoded
    }
    return decoded
  }
}
