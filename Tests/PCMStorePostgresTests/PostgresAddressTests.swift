import PCMStore
import PCMStorePostgres
import Testing

@Suite struct PostgresAddressTests {
  @Test(
    "The description has the user, the hosts, and the database",
    arguments: [
      ("postgres://db/clicks", "postgres://db/clicks"),
      (
        "postgresql://an%20app:s3cret@one.example:6432,[::1],two/clicks?sslmode=verify-full",
        "postgres://an app@one.example:6432,[::1],two/clicks"
      ),
      ("postgres:///clicks?host=/run/pg&password=s3cret", "postgres:///run/pg/clicks"),
    ])
  func description(_ text: String, _ description: String) throws {
    let address = try PostgresAddress(text)
    var dumped = ""
    dump(address, to: &dumped)
    #expect("\(address)" == description)
    for text in [String(reflecting: address), dumped] { #expect(!text.contains("s3cret")) }
  }

  @Test(
    "An invalid address is an error that does not repeat it",
    arguments: [
      "mysql://db/clicks", "postgres://app:s3cret@db", "postgres://app:s3cret@db:port/clicks",
      "postgres://app:s3c/ret@db/clicks",
      "postgres://app:1/s3cret@db/clicks", "postgres://app:s3c@ret@db/clicks", "postgres://app:s3cret%2@db/clicks",
      "postgres://app:s3cret%00@db/clicks", "postgres://db/clicks?s3cret=1", "postgres://app%3As3cret@db/clicks",
    ])
  func invalid(_ text: String) {
    let error = #expect(throws: StoreError.self) { try PostgresAddress(text) }
    #expect(
      "\(error.map { "\($0)" } ?? "")".hasPrefix(
        "the address of the store is not valid; write postgres://USER@HOST:PORT/DATABASE"))
    #expect(error.map { !"\($0)".contains("s3c") } == true)
  }
}
