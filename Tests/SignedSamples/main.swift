import Foundation
import PCMCore
import PCMCrypto

// Signs postbacks and ad impressions of all versions with the test keys, for `scripts/test-signatures`: a line of JSON for each,
// with the name of its key. The argument is the folder of the keys.

let folder = URL(fileURLWithPath: CommandLine.arguments[1])

func key(_ name: String) throws -> PrivateKey {
  try PrivateKey(pem: String(contentsOf: folder.appendingPathComponent("\(name).private.pem"), encoding: .utf8))
}

func print(_ item: [UInt8], signedBy name: String) {
  let line: JSON = ["key": .string(name), "item": .string(String(decoding: item, as: UTF8.self))]
  print(line.text)
}

for version in SKAdNetworkVersion.allCases {
  let name = version.postbackCurve == .p192 ? "skadnetwork-p192" : "skadnetwork-p256"
  for postback in Samples.postbacks(version) { print(try postback.body(signedBy: key(name)), signedBy: name) }
  for impression in Samples.impressions(version) {
    let signature = try impression.signature(by: key("ad-network"))
    print(impression.json(signature: signature).bytes, signedBy: "ad-network")
    guard case .site? = impression.source else { continue }
    print(impression.webAdResponse(signature: signature).bytes, signedBy: "ad-network")
  }
}
for identifier in TestKeyPair.adAttributionKit {
  let name = identifier.rawValue.replacing("/", with: "-")
  for postback in Samples.adAttributionKitPostbacks {
    print(try postback.body(signedBy: JWSSigner(identifier, with: key(name))), signedBy: name)
  }
}
print(Array(try Samples.adAttributionKitImpression.jws(signedBy: key("ad-network")).utf8), signedBy: "ad-network")
