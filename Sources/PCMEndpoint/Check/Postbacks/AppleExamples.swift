/// Published postbacks with Apple's signatures, also in `Fixtures/device/vectors` (SKAdNetwork reference, section 11;
/// AdAttributionKit reference, section 6).
enum AppleExamples {
  static let skadnetwork1 =
    #"{"version": "1.0", "ad-network-id": "su67r6k2v3.skadnetwork", "campaign-id": 51, "#
    + #""transaction-id": "583e867c-0bc5-4980-8766-6d8cf992f24a", "app-id": 1176027022, "redownload": false, "#
    + #""attribution-signature": "MDMCGELMEaJCS0y1JXqjZujcMXdJel8boLV6PAIXFNKYjzROJY2CxAmU+HoPQfTJCyjoS6k="}"#

  static let skadnetwork2 =
    #"{"version": "2.0", "ad-network-id": "v9wttpbfk9.skadnetwork", "campaign-id": 75, "#
    + #""transaction-id": "c4a69044-1c85-4755-9e25-97d8daa30c55", "app-id": 1176027022, "redownload": true, "#
    + #""conversion-value": 18, "#
    + #""attribution-signature": "MDQCGDYZvzXjCRDEcFjJu2xd4kaOPwK+sJpUbgIYZRiWFh0Lpz7KFnF3qrXdyl9sAG8j6gne"}"#

  static let skadnetwork21 =
    #"{"version": "2.1", "ad-network-id": "com.example", "campaign-id": 42, "#
    + #""transaction-id": "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", "app-id": 525463029, "redownload": true, "#
    + #""source-app-id": 1234567891, "conversion-value": 20, "#
    + #""attribution-signature": "MEUCID6rbq3qt4GvFaAaynh5/LAcvn1d8CQTRhrZhLIxLKntAiEAo7IrvoMw6u2qDg6Tr5vIsEHXjlLkPlCOL0oj"#
    + #"JcEh3Qw="}"#

  static let skadnetwork22 =
    #"{"version": "2.2", "ad-network-id": "com.example", "campaign-id": 42, "#
    + #""transaction-id": "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", "app-id": 525463029, "redownload": true, "#
    + #""source-app-id": 1234567891, "fidelity-type": 1, "conversion-value": 20, "#
    + #""attribution-signature": "MEYCIQDTuQ1Z4Tpy9D3aEKbxLl5J5iKiTumcqZikuY/AOD2U7QIhAJAaiAv89AoquHXJffcieEQXdWHpcV8ZgbKN"#
    + #"0EwV9/sY"}"#

  static let skadnetwork3 =
    #"{"version": "3.0", "ad-network-id": "example123.skadnetwork", "campaign-id": 42, "#
    + #""transaction-id": "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", "app-id": 525463029, "redownload": true, "#
    + #""source-app-id": 1234567891, "fidelity-type": 1, "did-win": true, "conversion-value": 20, "#
    + #""attribution-signature": "MEYCIQD5eq3AUlamORiGovqFiHWI4RZT/PrM3VEiXUrsC+M51wIhAPMANZA9c07raZJ64gVaXhB9+9yZj/X6DcNx"#
    + #"ONdccQij"}"#

  static let runnerUp =
    #"{"version": "3.0", "ad-network-id": "example123.skadnetwork", "campaign-id": 42, "#
    + #""transaction-id": "f9ac267a-a889-44ce-b5f7-0166d11461f0", "app-id": 525463029, "redownload": true, "#
    + #""fidelity-type": 1, "did-win": false, "#
    + #""attribution-signature": "MEUCIQDDetUtkyc/MiQvVJ5I6HIO1E7l598572Wljot2Onzd4wIgVJLzVcyAV+TXksGNoa0DTMXEPgNPeHCmD4fw"#
    + #"1ABXX0g="}"#

  static let skadnetwork4 =
    #"{"version": "4.0", "ad-network-id": "com.example", "source-identifier": "5239", "app-id": 525463029, "#
    + #""transaction-id": "6aafb7a5-0170-41b5-bbe4-fe71dedf1e30", "redownload": false, "source-domain": "example.com", "#
    + #""fidelity-type": 1, "did-win": true, "conversion-value": 63, "postback-sequence-index": 0, "#
    + #""attribution-signature": "MEUCIGRmSMrqedNu6uaHyhVcifs118R5z/AB6cvRaKrRRHWRAiEAv96ne3dKQ5kJpbsfk4eYiePmrZUU6sQmo+7z"#
    + #"fP/1Bxo="}"#

  /// The three parts of the JSON Web Signature, signed with a development key.
  static let developmentParts = [
    "eyJraWQiOiJhcHBsZS1kZXZlbG9wbWVudC1pZGVudGlmaWVyXC8xIiwiYWxnIjoiRVMyNTYifQ",
    "eyJwb3N0YmFjay1pZGVudGlmaWVyIjoiODU1NDZFQjctRkQzOS00NEJDLTg5OTAtQzk4QTRBQzM2QTQ5IiwicHVibGlzaGVyLWl0ZW0taWRlbnRpZmll"
      + "ciI6MCwibWFya2V0cGxhY2UtaWRlbnRpZmllciI6ImNvbS5hcHBsZS5BcHBTdG9yZSIsImltcHJlc3Npb24tdHlwZSI6ImFwcC1pbXByZXNzaW9u"
      + "IiwiYWQtbmV0d29yay1pZGVudGlmaWVyIjoiZGV2ZWxvcG1lbnQuYWRhdHRyaWJ1dGlvbmtpdCIsImRpZC13aW4iOnRydWUsInBvc3RiYWNrLXNl"
      + "cXVlbmNlLWluZGV4IjowLCJjb252ZXJzaW9uLXR5cGUiOiJyZS1lbmdhZ2VtZW50Iiwic291cmNlLWlkZW50aWZpZXIiOiIxMjM0IiwiYWR2ZXJ0"
      + "aXNlZC1pdGVtLWlkZW50aWZpZXIiOjEwNzM4MDI3NzU2fQ",
    "bAdNwKd6OfHK9tofvjjua4X_JPcFTxXPQSspD9gZkinw97pY7R1aI-LSjl-oxZZF3_K2H5JK5TSEBee4_1U4oQ",
  ]

  static let development = wrapped(developmentParts.joined(separator: "."))

  /// Returns Apple's example with another JSON Web Signature.
  static func wrapped(_ jws: String) -> String {
    #"{"jws-string": "\#(jws)", "conversion-value": 24, "ad-interaction-type": "click", "country-code": "US"}"#
  }
}
