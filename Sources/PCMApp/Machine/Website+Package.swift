import Foundation
import PCMHTTP

extension Website {
  /// The website in the package of this program: `share/pcm-browser/documentation` beside the folder `bin`.
  static var ofPackage: Website {
    guard let program = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return .none }
    let folder = program.deletingLastPathComponent().deletingLastPathComponent().path + "/share/pcm-browser/documentation"
    return Website { path in FileManager.default.contents(atPath: "\(folder)/\(path)").map { Array($0) } }
  }
}
