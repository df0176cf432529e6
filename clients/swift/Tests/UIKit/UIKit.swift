// The declarations of UIKit that PCMAppBridge and its tests use, as in Apple's documentation. They exist only on Linux, for tests.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

/// A view: its place in the hierarchy, and its visibility.
@MainActor open class UIView {
  public var frame: CGRect
  public var isHidden = false
  public var alpha: CGFloat = 1
  public private(set) var subviews: [UIView] = []
  public private(set) weak var superview: UIView?

  public init(frame: CGRect = .zero) { self.frame = frame }

  public var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }
  open var window: UIWindow? { superview?.window }

  public func addSubview(_ view: UIView) {
    view.superview = self
    subviews.append(view)
  }

  public func convert(_ point: CGPoint, to view: UIView?) -> CGPoint {
    let (own, other) = (originInWindow, view?.originInWindow ?? .zero)
    return CGPoint(x: point.x + own.x - other.x, y: point.y + own.y - other.y)
  }

  public func convert(_ point: CGPoint, from view: UIView?) -> CGPoint {
    let (own, other) = (originInWindow, view?.originInWindow ?? .zero)
    return CGPoint(x: point.x + other.x - own.x, y: point.y + other.y - own.y)
  }

  private var originInWindow: CGPoint {
    let outer = superview?.originInWindow ?? .zero
    return CGPoint(x: outer.x + frame.origin.x, y: outer.y + frame.origin.y)
  }
}

@MainActor public final class UIWindow: UIView {
  override public var window: UIWindow? { self }
}

@MainActor public final class UIButton: UIView {}

@available(iOS 14.5, *)
@MainActor public final class UIEventAttributionView: UIView {}

@available(iOS 14.5, *)
@MainActor public final class UIEventAttribution {
  public let sourceIdentifier: UInt8
  public let destinationURL: URL
  public let sourceDescription: String
  public let purchaser: String

  public init(sourceIdentifier: UInt8, destinationURL: URL, sourceDescription: String, purchaser: String) {
    self.sourceIdentifier = sourceIdentifier
    self.destinationURL = destinationURL
    self.sourceDescription = sourceDescription
    self.purchaser = purchaser
  }
}

@MainActor open class UIScene {
  @MainActor public final class OpenExternalURLOptions {
    public var universalLinksOnly = false
    @available(iOS 14.5, *) public var eventAttribution: UIEventAttribution?

    public init() {}
  }

  public init() {}

  open func open(_ url: URL, options: OpenExternalURLOptions?, completionHandler completion: ((Bool) -> Void)? = nil) {
    completion?(true)
  }
}

@MainActor open class UIApplication {
  public struct OpenExternalURLOptionsKey: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let universalLinksOnly = OpenExternalURLOptionsKey(rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
    @available(iOS 14.5, *)
    public static let eventAttribution = OpenExternalURLOptionsKey(
      rawValue: "UIApplicationOpenExternalURLOptionsEventAttributionKey")
  }
}
