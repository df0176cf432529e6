import CPageAssets

/// A page of the demo's sites: a news site with an ad, and the shop that the ad leads to.
package enum SitePage: CaseIterable, Sendable {
  case article
  case product
  case thanks

  /// The selectors of the elements that a user clicks: the ad in the article, and the button of the product.
  package static let (ad, buyButton) = ("#ad", "#buy")

  package var path: String {
    switch self {
    case .article: "/article"
    case .product: "/tabletStandDeluxe.html"
    case .thanks: "/thanks"
    }
  }

  package var url: String { "https://\(self == .article ? "news" : "shop").example\(path)" }

  package var html: String {
    switch self {
    case .article: String(cString: pcm_article_page())
    case .product: String(cString: pcm_product_page())
    case .thanks: String(cString: pcm_thanks_page())
    }
  }
}
