import Testing

@Suite("imports")
struct ImportRulesTests {
  static let cleanTable = [ImportAllowance(target: "PCMCore"), ImportAllowance(target: "PCMSites", siblings: ["PCMCore"])]

  @Test("every import of the sources is in the table, and every allowance is used")
  func sources() async throws {
    let files = try await Repository().swiftFiles(under: "Sources")
    #expect(files.count > 10)
    expectNone(importFindings(in: files, allowing: importTable))
  }

  @Test("the table and the manifest of each package agree", arguments: [("", "PCMCore"), ("clients/swift/", "PCMClient")])
  func manifest(package: String, target: String) async throws {
    let repository = try await Repository()
    let manifest = try Manifest(text: repository.file(package + "Package.swift").text)
    let files = try repository.swiftFiles(under: "Sources").filter { $0.path.hasPrefix(package + "Sources/") }
    let targets = Set(files.compactMap(\.target))
    #expect(targets.contains(target))
    expectNone(manifestFindings(manifest, allowing: importTable.filter { targets.contains($0.target) }, targets: targets))
  }

  @Test("each row of the table is about a target")
  func rows() async throws {
    let targets = Set(try await Repository().swiftFiles(under: "Sources").compactMap(\.target))
    #expect(Set(importTable.map(\.target)) == targets)
  }

  @Test("the core imports nothing, and C, SQL and the web framework have one door each")
  func doors() {
    #expect(importTable.first { $0.target == "PCMCore" }?.all.isEmpty == true)
    #expect(targets(importing: "CCurl") == ["PCMURL", "PCMCurl"])
    #expect(targets(importing: "GRDB") == ["PCMStoreSQLite"])
    #expect(targets(importing: "CLibPQ") == ["PCMStorePostgres"])
    #expect(targets(importing: "Hummingbird") == ["PCMHTTP"])
  }

  private func targets(importing module: String) -> Set<String> {
    Set(importTable.filter { $0.all.contains(module) }.map(\.target))
  }

  @Test(
    "an import is read in every form",
    arguments: [
      ("import GRDB", "GRDB"), ("package import GRDB", "GRDB"), ("@testable import GRDB", "GRDB"),
      ("@preconcurrency public import GRDB", "GRDB"), ("  import GRDB  // why", "GRDB"),
      ("import struct GRDB.Row", "GRDB"), ("import GRDB.Row", "GRDB"),
    ])
  func forms(line: String, module: String) {
    #expect(SourceFile("Sources/PCMCore/A.swift", line).imports == [ImportLine(line: 1, module: module)])
  }

  @Test(
    "prose and code that mention an import are none", arguments: ["// import GRDB", "let import = 1", "/// You import GRDB"])
  func noImport(line: String) {
    #expect(SourceFile("Sources/PCMCore/A.swift", line).imports.isEmpty)
  }

  @Test("an import that the table lacks is found with its line")
  func forbidden() {
    let files = [SourceFile("Sources/PCMCore/A.swift", "\nimport Foundation\n")]
    let found = importFindings(in: files, allowing: Self.cleanTable)
    #expect(found == [Finding("Sources/PCMCore/A.swift", line: 2, rule: "forbidden import", "Foundation")])
  }

  @Test("an unused allowance is found once there is code")
  func unused() {
    let empty = SourceFile("Sources/PCMSites/A.swift", "// to come\n")
    let code = SourceFile("Sources/PCMSites/A.swift", "struct Site {}\n")
    #expect(importFindings(in: [empty], allowing: Self.cleanTable).isEmpty)
    #expect(importFindings(in: [code], allowing: Self.cleanTable).map(\.rule) == ["unused allowed import"])
  }

  @Test("a target without a row is found")
  func noRow() {
    let files = [SourceFile("Sources/PCMNew/A.swift", "")]
    #expect(importFindings(in: files, allowing: Self.cleanTable).map(\.rule) == ["no row in the import table"])
  }

  static let manifestText = """
    extension Target.Dependency {
      static let grdb = product(name: "GRDB", package: "GRDB.swift")
    }
    func pcm(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
      .target(name: name, dependencies: dependencies, swiftSettings: strict)
    }
    func test(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
      .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
    }
    let package = Package(
      name: "sample",
      dependencies: [.package(url: "https://example.org/GRDB.swift", from: "7.0.0")],
      targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CList", exclude: ["list.dat"]),
        pcm("PCMCore"),  // what is true
        pcm(
          "PCMSites",
          ["PCMCore", .grdb]),
        .executableTarget(name: "sample", dependencies: ["PCMSites"], swiftSettings: strict),
        test("PCMCoreTests", ["PCMCore"]),
        .target(name: "Support", dependencies: ["PCMCore"], path: "Tests/Support"),
      ]
    )
    """

  @Test("the manifest is read: all kinds of targets, products under their names, excluded files left out")
  func manifestReading() {
    let targets = Manifest(text: Self.manifestText).targets
    let dependencies = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0.dependencies) })
    #expect(
      dependencies == [
        "CCurl": [], "CList": [], "PCMCore": [], "PCMSites": ["PCMCore", "GRDB"], "sample": ["PCMSites"],
        "PCMCoreTests": ["PCMCore"], "Support": ["PCMCore"],
      ])
  }

  @Test("a dependency that only the manifest or only the table has is found, as is a target without a row")
  func disagreement() {
    let table = [
      ImportAllowance(target: "PCMSites", siblings: ["PCMCore"], products: ["Crypto"]), ImportAllowance(target: "sample"),
    ]
    let manifest = Manifest(text: Self.manifestText)
    let found = manifestFindings(manifest, allowing: table, targets: ["PCMCore", "PCMSites", "sample"])
    let expected: Set<Finding> = [
      Finding("Package.swift", rule: "no row in the import table", "PCMCore"),
      Finding("Package.swift", rule: "not in the import table", "PCMSites: GRDB"),
      Finding("Package.swift", rule: "not in the manifest", "PCMSites: Crypto"),
      Finding("Package.swift", rule: "not in the import table", "sample: PCMSites"),
    ]
    #expect(Set(found) == expected)
  }

  @Test("a row without a target is found")
  func rowWithoutTarget() {
    let found = manifestFindings(Manifest(text: ""), allowing: [ImportAllowance(target: "PCMGone")], targets: [])
    #expect(found == [Finding("Package.swift", rule: "not in the manifest", "PCMGone")])
  }
}
