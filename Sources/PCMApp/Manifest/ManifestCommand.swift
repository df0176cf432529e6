import ArgumentParser
import PCMCore
import PCMManifest
import PCMURL

struct ManifestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manifest",
    abstract: "Explain an app's Info.plist: the values that a browser and a device read, and what to fix.",
    discussion: """
      The keys show in which measurements the app takes part: clicks, SKAdNetwork, and AdAttributionKit, as a publisher \
      that shows ads or as an advertised app, and whether it can ask for permission to track. Each part is judged in a line.

      Examples:
        pcm-browser manifest MyApp.app
        pcm-browser manifest --json Info.plist
        pcm-browser manifest --strict Info.plist
        pcm-browser manifest --for clicks --for adattributionkit Info.plist
        pcm-browser manifest --bundle-identifier com.example.app ios/Runner/Info.plist
        pcm-browser manifest app.json
        plutil -convert xml1 -o - Info.plist | pcm-browser manifest -

      Exit status: 0 each role of the app works; 1 at least one does not, or a
      measurement that --for names is missing or unknown; 2 the file cannot be read.
      With --strict, warnings are errors.
      """)

  @Argument(
    help: """
      An Info.plist, XML or binary, or the folder of an app that contains it; an app.json of Expo; or - for standard input.
      """)
  var file: String

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  @Option(
    name: .customLong("for"), parsing: .singleValue,
    help: ArgumentHelp(
      "A measurement that must work: \(Measurement.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: "Repeat the option for several. By default, all in which the app takes part.", valueName: "measurement"))
  var measurements: [Measurement] = []

  @Option(help: "The bundle identifier, if the file has a build setting in its place.")
  var bundleIdentifier: String?

  @OptionGroup
  var colors: ColorOptions

  func validate() throws {
    guard let bundleIdentifier else { return }
    guard !bundleIdentifier.isEmpty, BundleIdentifier.hasAllowedCharacters(bundleIdentifier),
      bundleIdentifier.utf8.count <= BundleIdentifier.maximumLength
    else {
      throw ValidationError(
        "--bundle-identifier \(bundleIdentifier.visible): expected up to \(BundleIdentifier.maximumLength) letters, digits, "
          + "hyphens, periods, and underscores.")
    }
  }

  func run() throws {
    let review = try ManifestFile.review(file, sites: SiteParser(publicSuffixList: .builtIn()))
    if let bundleIdentifier, let found = review.bundleIdentifier, found != bundleIdentifier {
      throw StartError(
        description: "\(file): CFBundleIdentifier is \(found), but --bundle-identifier is \(bundleIdentifier); omit the option")
    }
    let explanation = ManifestExplanation(review, named: bundleIdentifier)
    try StandardOutput.write(json ? explanation.json.text + "\n" : explanation.text(in: colors.style))
    if explanation.isBad(strict: strict, for: measurements) { throw ExitCode(1) }
  }
}

extension Measurement: ExpressibleByArgument {}
