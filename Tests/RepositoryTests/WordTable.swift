/// An exclamation mark that is not next to its word, so that a search of the tree for forbidden words does not stop
/// here.
private let bang = "!"

/// Words that the project forbids. Only `PCMApp` hands out the wall clock, the system's randomness, the
/// environment and files.
let wordRules: [WordRule] = [
  WordRule(name: "stops the process", needles: ["try\(bang)", "as\(bang)", "fatalError("], folders: ["Sources"]),
  WordRule(name: "unfinished", needles: ["TO" + "DO", "FIX" + "ME"], folders: ["Sources", "Tests"], scope: .everything),
  WordRule(name: "singleton", needles: [".shared"], folders: ["Sources"]),
  // NIOLockedValueBox is the only lock: the thread sanitizer sees its pthread mutex, and not the futex of the standard
  // library's.
  WordRule(
    name: "a lock other than NIO's",
    needles: ["Mutex<", "Mutex(", "pthread_mutex_init", "os_unfair_lock", "NSLock(", "NSRecursiveLock("],
    folders: ["Sources", "Tests"]),
  WordRule(
    name: "reads the time",
    needles: [
      "Date()", "Date.now", "Date(timeIntervalSinceNow:", "timeIntervalSinceNow", "ContinuousClock", "SuspendingClock",
      "DispatchTime.now", "NIODeadline.now", "clock_gettime", "gettimeofday",
    ],
    folders: ["Sources"], allowedTargets: ["PCMApp"]),
  WordRule(
    name: "sleeps", needles: ["Task.sleep", "Thread.sleep", "nanosleep(", "usleep("], folders: ["Sources"],
    allowedTargets: ["PCMApp"]),
  // On Linux, these wait until a time of the machine's clock, which may be set back.
  WordRule(
    name: "waits by the machine's clock", needles: ["wait(timeout:", "wait(wallTimeout:", "timeoutSeconds:", "_timedwait("],
    folders: ["Sources"]),
  WordRule(
    name: "draws",
    needles: [
      ".random(", ".randomElement(", ".shuffle(", ".shuffled(", "SystemRandomNumberGenerator", "arc4random", "getrandom(",
      "UUID()",
    ],
    folders: ["Sources"], allowedTargets: ["PCMApp"]),
  WordRule(
    name: "reads the environment", needles: ["ProcessInfo", "getenv", "CommandLine.arguments"], folders: ["Sources"],
    allowedTargets: ["PCMApp"]),
  WordRule(
    name: "touches files",
    needles: ["FileManager", "FileHandle", "fopen(", "Data(contentsOf", "String(contentsOf", ".write(to:"],
    folders: ["Sources"], allowedTargets: ["PCMApp"]),
  WordRule(
    name: "waits for the wall clock", needles: ["Task.sleep", "Thread.sleep", "nanosleep(", "usleep("],
    folders: ["Tests"]),
  WordRule(name: "waits for the wall clock, by the C library", needles: ["sleep("], folders: ["Tests"], onlyBareCalls: true),
  // Foundation's Process reads past a buffer while it lists the open descriptors, and crashes when there are thousands.
  WordRule(name: "starts a process with Foundation", needles: [" Process()"], folders: ["Sources", "Tests"]),
  // The client's package says iOS 15 and macOS 13, and no compiler for these systems runs here.
  WordRule(
    name: "newer than iOS 15",
    needles: [
      "Mutex<", "next(isolation:", ".replacing(", "wholeMatch(", "firstMatch(", "URL(filePath:", ".appending(path",
      "ContinuousClock", "Task.sleep(for", "Swift.Duration", "any Collection<", "any Sequence<", "any AsyncSequence<",
    ],
    folders: ["clients/swift/Sources"]),
  WordRule(
    name: "a word that documentation avoids: name the person, the part, or the effect",
    needles: [
      "nobody", "Nobody", "somebody", "Somebody", "whoever", "Whoever", "he", "He", "his", "His", "of its own", "of their own",
      "leads there", "lead there", "told", "tells of", "tell of", "hears", "holds that", "is had", "comes about", "witness",
      "the house",
    ], folders: ["Sources", "Tests"], scope: .prose),
  WordRule(
    name: "a pronoun in the place of a noun",
    needles: ["/// What ", "// What ", "one that", "One that", "none that", "those that", "Those that"],
    folders: ["Sources", "Tests"], scope: .prose),
  WordRule(name: "escaped apostrophe in a comment", needles: ["\\'"], folders: ["Sources", "Tests"], scope: .comments),
  WordRule(name: "switched off", needles: ["XCT" + "Skip", ".dis" + "abled("], folders: ["Tests"]),
]

/// Accepted for a reason, by file and rule.
let wordExceptions: [AcceptedBreach] = [
  AcceptedBreach(
    path: "Sources/PCMURL/CurlURL.swift", rule: "stops the process",
    reason: "an allocation of some hundred bytes failed; Swift's own allocations stop the process too"),
  AcceptedBreach(
    path: "Sources/PCMCurl/MultiHandle.swift", rule: "sleeps",
    reason: "libcurl's wait fails at once without memory, and the loop thread would use a processor until there is some"),
  AcceptedBreach(
    path: "Sources/PCMURL/PublicSuffixList.swift", rule: "stops the process",
    reason: "the list is compiled in and every test run loads it, so no input can lead here"),
  AcceptedBreach(
    path: "Sources/PCMStoreSQLite/FileOrigin.swift", rule: "touches files",
    reason: "SQLite would change the files next to a database in order to read it"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/PCMService.swift", rule: "reads the environment",
    reason: "the client runs in the tests of others, where PCM_BROWSER_URL says which service is meant"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMAppBridge/AppReport.swift", rule: "reads the environment",
    reason: "the UI test says in the app's environment which service and browser receive its reports"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/LocalService.swift", rule: "reads the environment",
    reason: "PCM_BROWSER_BINARY and the PATH say which program a test starts"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/LocalService.swift", rule: "draws",
    reason: "each service that a test starts has a folder"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/LocalService.swift", rule: "touches files",
    reason: "the service that a test starts has a folder for its data and its log"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/LocalService.swift", rule: "starts a process with Foundation",
    reason: "the client depends on nothing but Foundation, and a test has few open descriptors"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/Browser+Trace.swift", rule: "shared variable",
    reason: "a value of the task of a test, which finds the browsers that the test creates without an argument"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMTesting/TraceFile.swift", rule: "touches files",
    reason: "a failed test leaves the page of its browser as a file"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/Connection.swift", rule: "draws",
    reason: "each POST has a new idempotency key, which changes no result"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/HTTPTransport.swift", rule: "a lock other than NIO's",
    reason: "the client depends on nothing but Foundation, whose lock is a pthread mutex, too"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/SocketExchange.swift", rule: "a lock other than NIO's",
    reason: "the client depends on nothing but Foundation, whose lock is a pthread mutex, too"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/HTTPTransport.swift", rule: "sleeps",
    reason: "the deadline of a call: URLSession limits only the time without data, on Linux in whole seconds"),
  AcceptedBreach(
    path: "clients/swift/Sources/PCMClient/Browser+Apps.swift", rule: "touches files",
    reason: "a test names the Info.plist of its app by its path"),
]
