import PCMCurl
import Testing

@Suite("Public addresses")
struct SpecialAddressTests {
  @Test(
    "IPv4",
    arguments: [
      ([0, 0, 0, 0], .unspecified), ([0, 255, 255, 255], .unspecified), ([1, 0, 0, 0], nil), ([9, 255, 255, 255], nil),
      ([10, 0, 0, 0], .privateUse), ([10, 255, 255, 255], .privateUse), ([11, 0, 0, 0], nil), ([100, 63, 255, 255], nil),
      ([100, 64, 0, 0], .sharedSpace), ([100, 127, 255, 255], .sharedSpace), ([100, 128, 0, 0], nil),
      ([126, 255, 255, 255], nil), ([127, 0, 0, 1], .loopback), ([127, 255, 255, 255], .loopback), ([128, 0, 0, 0], nil),
      ([169, 253, 255, 255], nil), ([169, 254, 169, 254], .linkLocal), ([169, 255, 0, 0], nil), ([172, 15, 255, 255], nil),
      ([172, 16, 0, 0], .privateUse), ([172, 31, 255, 255], .privateUse), ([172, 32, 0, 0], nil),
      ([192, 0, 0, 8], .reserved), ([192, 0, 1, 0], nil), ([192, 0, 2, 1], .documentation), ([192, 0, 3, 0], nil),
      ([192, 88, 99, 1], .reserved), ([192, 167, 255, 255], nil), ([192, 168, 0, 0], .privateUse),
      ([192, 168, 255, 255], .privateUse), ([192, 169, 0, 0], nil), ([198, 17, 255, 255], nil),
      ([198, 18, 0, 0], .benchmarking), ([198, 19, 255, 255], .benchmarking), ([198, 20, 0, 0], nil),
      ([198, 51, 100, 1], .documentation), ([203, 0, 113, 1], .documentation), ([203, 0, 114, 0], nil),
      ([223, 255, 255, 255], nil), ([224, 0, 0, 1], .multicast), ([239, 255, 255, 255], .multicast),
      ([240, 0, 0, 0], .reserved), ([255, 255, 255, 254], .reserved), ([255, 255, 255, 255], .broadcast),
    ] as [([UInt8], SpecialAddress?)])
  func ipv4(_ bytes: [UInt8], _ kind: SpecialAddress?) {
    #expect(SpecialAddress(bytes: bytes) == kind)
    // Its forms in IPv6 are treated in the same way.
    let zeros = [UInt8](repeating: 0, count: 10)
    #expect(SpecialAddress(bytes: zeros + [0xFF, 0xFF] + bytes) == kind, "mapped")
    #expect(SpecialAddress(bytes: zeros.dropLast(2) + [0xFF, 0xFF, 0, 0] + bytes) == kind, "translated")
    #expect(SpecialAddress(bytes: [0, 0x64, 0xFF, 0x9B] + zeros.dropLast(2) + bytes) == kind, "NAT64")
    #expect(SpecialAddress(bytes: [0x20, 0x02] + bytes + zeros) == kind, "6to4")
  }

  @Test(
    "IPv6 addresses",
    arguments: [
      ([0, 0, 0, 0, 0, 0, 0, 0], .unspecified), ([0, 0, 0, 0, 0, 0, 0, 1], .loopback),
      ([0, 0, 0, 0, 0, 0, 0x7F00, 1], .reserved), ([0x64, 0xFF9B, 1, 0, 0, 0, 0x0808, 0x0808], .privateUse),
      ([0x100, 0, 0, 0, 0, 0, 0, 1], .reserved), ([0x2001, 0, 0, 0, 0, 0, 0, 1], .reserved),
      ([0x2001, 2, 0, 0, 0, 0, 0, 1], .benchmarking), ([0x2001, 0x1FF, 0, 0, 0, 0, 0, 1], .reserved),
      ([0x2001, 0x200, 0, 0, 0, 0, 0, 1], nil), ([0x2001, 0xDB8, 0, 0, 0, 0, 0, 1], .documentation),
      ([0x2001, 0x4860, 0, 0, 0, 0, 0, 1], nil), ([0x2A00, 0x1450, 0, 0, 0, 0, 0, 1], nil),
      ([0x3FFE, 0, 0, 0, 0, 0, 0, 1], nil), ([0x3FFF, 0xFFF, 0, 0, 0, 0, 0, 1], .documentation),
      ([0x3FFF, 0x1000, 0, 0, 0, 0, 0, 1], nil), ([0x4000, 0, 0, 0, 0, 0, 0, 1], .reserved),
      ([0xFC00, 0, 0, 0, 0, 0, 0, 1], .uniqueLocal), ([0xFDFF, 0xFFFF, 0, 0, 0, 0, 0, 1], .uniqueLocal),
      ([0xFE80, 0, 0, 0, 0, 0, 0, 1], .linkLocal), ([0xFEBF, 0xFFFF, 0, 0, 0, 0, 0, 1], .linkLocal),
      ([0xFEC0, 0, 0, 0, 0, 0, 0, 1], .privateUse), ([0xFF02, 0, 0, 0, 0, 0, 0, 1], .multicast),
    ] as [([UInt16], SpecialAddress?)])
  func ipv6(_ groups: [UInt16], _ kind: SpecialAddress?) {
    #expect(SpecialAddress(bytes: groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) == kind)
  }

  @Test("Addresses of other lengths are not public", arguments: [0, 3, 5, 8, 15, 17])
  func otherLengths(_ count: Int) {
    #expect(SpecialAddress(bytes: [UInt8](repeating: 8, count: count)) == .reserved)
  }
}
