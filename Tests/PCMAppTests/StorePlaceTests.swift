import PCMStore
import Testing

@testable import PCMApp

/// The places of `store copy`, and the printed form of an address with a password.
@Suite struct StorePlaceTests {
  @Test(
    "An address that cannot be read is an error without its password, and not a folder",
    arguments: [
      "postgres:/pcm:s3cret@db/pcm", "postgres//pcm:s3cret@db/pcm", "pcm:s3cret@db/pcm", "//pcm:s3cret@db/pcm",
      "postgres:pcm:s3cret/db", "host=db user=pcm password=s3cret", "password=s3cret", "mysql://pcm:s3cret@db/pcm",
      "POSTGRES://pcm:s3cret@db/pcm", "postgres://pcm:s3cret@db", "postgres://pcm%3As3cret@db/pcm",
      " postgres://pcm:s3cret@db/pcm",
    ])
  func addresses(_ text: String) {
    let error = #expect(throws: StartError.self) { try StorePlace(text) }
    let description = error?.description ?? ""
    #expect(description.hasPrefix("the address of the store is not valid; "), "\(description)")
    #expect(!description.contains("s3cret"))
  }

  @Test("A path is a folder", arguments: ["/var/lib/a@b", "./a=b", "../a:b@c", "data", "a/b:c", "~/.local/state", "postgres"])
  func folders(_ text: String) throws {
    guard case .folder(text) = try StorePlace(text) else {
      Issue.record("\(text) is no folder")
      return
    }
  }

  @Test("A folder of a service is no address, whose password would be printed")
  func data() {
    let error = #expect(throws: ArgumentError.self) { try ServiceOptions.check(data: "postgres://pcm:s3cret@db/pcm") }
    #expect(
      error?.description == "--data: expected the path of a folder. The address of a database belongs to --store of serve.")
  }

  @Test("The message about an unexpected argument has no password")
  func unexpected() {
    let message = PCMBrowserCommand.withoutPasswords("Unexpected argument 'postgres://pcm:s3@cr/et@db/pcm'")
    #expect(message == "Unexpected argument 'postgres://pcm:…@db/pcm'")
    for plain in ["https://a.example:443/b", "--connect-to ::127.0.0.1:1", "a@b", "https://a@b"] {
      #expect(PCMBrowserCommand.withoutPasswords(plain) == plain)
    }
  }
}
