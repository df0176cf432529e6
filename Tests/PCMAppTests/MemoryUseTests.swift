import Testing

@testable import PCMApp

@Suite struct MemoryUseTests {
  @Test(arguments: [
    ("0::/\n", ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]),
    (
      "0::/system.slice/pcm.service\n",
      [
        "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/system.slice/memory.max",
        "/sys/fs/cgroup/system.slice/pcm.service/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
      ]
    ),
    (
      "5:cpu,cpuacct:/docker/a:b\n4:memory,hugetlb:/docker/a:b\n",
      [
        "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "/sys/fs/cgroup/memory/docker/a:b/memory.limit_in_bytes",
      ]
    ),
    ("", ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]),
  ])
  func theLimitsOfAllGroupsCount(_ groups: String, _ files: [String]) {
    #expect(MemoryUse.limitFiles(groups: groups) == files)
  }

  @Test(arguments: [
    ("536870912\n", 536_870_912), ("max\n", nil), ("", nil), ("9223372036854771712\n", 9_223_372_036_854_771_712),
  ])
  func aGroupMayHaveNoLimit(_ text: String, _ bytes: Int?) {
    #expect(MemoryUse.bytes(text) == bytes)
  }

  #if os(Linux)
    @Test func theProcessUsesLessThanItMay() {
      #expect((1..<MemoryUse.allowedBytes).contains(MemoryUse.residentBytes))
    }
  #endif
}
