import Testing

@testable import PCMCurl

struct SystemAuthoritiesTests {
  @Test func libcurlsOwnFileNeedsNoName() {
    #expect(SystemAuthorities.file(ownFile: "/own.pem") { _ in true } == nil)
  }

  @Test(arguments: SystemAuthorities.places)
  func anotherSystemsFileIsNamed(place: String) {
    #expect(SystemAuthorities.file(ownFile: "/own.pem") { $0 == place } == place)
    #expect(SystemAuthorities.file(ownFile: nil) { $0 == place } == place)
  }

  @Test func aSystemWithoutAuthoritiesHasNone() {
    #expect(SystemAuthorities.file(ownFile: "/own.pem") { _ in false } == nil)
  }
}
