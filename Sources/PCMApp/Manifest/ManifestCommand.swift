import ArgumentParser
import PCMCore
import PCMManifest
import PCMSites

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ManifestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manifest",
    abstract: "Explain an app's Info.plist: the values that a browser and a device read, and what to fix.",
    discussion: """
      Examples:
        pcm-browser manifest MyApp.app/Info.plist
        pcm-browser manifest --json Info.plist
        pcm-browser manifest --strict Info.plist

      Exit status: 0 no errors; 1 errors (a browser discards clicks from the app); 2
      the file cannot be read. With --strict, warnings are errors.
      """)

  @Argument(help: "The Info.plist of the built app, XML or binary.")
  var file: String

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  func run() throws {
    let sites = SiteParser(publicSuffixList: .builtIn())
    let explanation = ManifestExplanation(try ManifestFile.read(file, sites: sites))
    try StandardOutput.write(json ? explanation.json.text + "\n" : explanation.text)
    if explanation.isBad(strict: strict) { throw ExitCode(1) }
  }
}

/// An app's Info.plist on this machine.
enum ManifestFile {
  static func read(_ path: String, sites: SiteParser) throws -> AppManifest {
    let bytes: [UInt8]
    do throws(StartError) {
      bytes = try TextFile.contents(path, upTo: ManifestReader.sizeLimit)
    } catch {
      throw StartError(description: "\(error.description); name the Info.plist of an app, XML or binary")
    }
    do throws(ManifestError) {
      return try ManifestReader(parseURL: { try? sites.url($0) }).read(bytes)
    } catch {
      throw StartError(description: "\(path): \(error.detail)")
    }
  }
}
