extension TestKeyPair {
  /// The private key in PKCS #8, as `openssl genpkey` writes it.
  package var privateKeyPEM: String {
    switch self {
    case .skadnetworkP192:
      """
      -----BEGIN PRIVATE KEY-----
      MG8CAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQEEVTBTAgEBBBhE0s3Se4SesK/f/8Qx
      8CqBoFSNiYv/sCahNAMyAARvfkvIlFiROGs69+cIFinpW8eRrz+cJv+zUoANE9cv
      BZlsUCQ6PFr0Y1O3KXbF0fY=
      -----END PRIVATE KEY-----

      """
    case .skadnetworkP256:
      """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqMqydAHMicUdjuUf
      fciz3z3ZxsHyEL9ygYqbeVvyGXShRANCAATcz6wnwKyNkbeNn60SQWFJasih9uRM
      MmomWvRUsW9+mrFM57rHCGORm0NfjBiOe5E5qKlV2IFVixESqtf2oawZ
      -----END PRIVATE KEY-----

      """
    case .production:
      """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrSn/RRMZyC1sNWoX
      WTEmIfYe3YoBibJBMFMHLUdB3SOhRANCAAS8FcMW7f/iZsXrOMv/MK+7c9z2fCc7
      H5v5ahGP9FlHEVDE4cUwWMTqN7w72CqxRbl5039DnvFdWsXhV55hoBat
      -----END PRIVATE KEY-----

      """
    case .development0:
      """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIeDylddyVCyN9DGW
      jvnTxJ+VBuNl0NtL2Xc2+rmOETGhRANCAASylNlC6emneC5Dc8XUNNuGHKm15UQF
      B2IeRJ2s5FHsHMDmLRH2JzQffS2oRCAQvfFi3x6uf/EibtP3zIfZZqU/
      -----END PRIVATE KEY-----

      """
    case .development1:
      """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtmbN9RsGNnjQZ0to
      x69VGbP84zJZz5k4mJRtTSFUgEOhRANCAAQ7QcYeQomE3a1tdQ+fOZq2urYh4PFC
      iU5ikmmRsLW3casXzduPtGqPEcxdKprGSEfddmVV4Ou5sBjOtVZK19l0
      -----END PRIVATE KEY-----

      """
    case .adNetwork:
      """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIwQORL5F+S1dkL9Q
      ZjiyGfY7Pd2bKxBlK2nLmWsIDAahRANCAAQsD6l+5rCe8Osy/TXUesqwgbdxilh0
      GsBdDHuPl0xxoSa2/yTFOFOFdQ7M4LL1mcDnech0WnRDV8XE6Q8M+Isb
      -----END PRIVATE KEY-----

      """
    }
  }

  /// The SubjectPublicKeyInfo, as `openssl pkey -pubout` writes it.
  package var publicKeyPEM: String {
    switch self {
    case .skadnetworkP192:
      """
      -----BEGIN PUBLIC KEY-----
      MEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAEb35LyJRYkThrOvfnCBYp6VvHka8/
      nCb/s1KADRPXLwWZbFAkOjxa9GNTtyl2xdH2
      -----END PUBLIC KEY-----

      """
    case .skadnetworkP256:
      """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3M+sJ8CsjZG3jZ+tEkFhSWrIofbk
      TDJqJlr0VLFvfpqxTOe6xwhjkZtDX4wYjnuROaipVdiBVYsREqrX9qGsGQ==
      -----END PUBLIC KEY-----

      """
    case .production:
      """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvBXDFu3/4mbF6zjL/zCvu3Pc9nwn
      Ox+b+WoRj/RZRxFQxOHFMFjE6je8O9gqsUW5edN/Q57xXVrF4VeeYaAWrQ==
      -----END PUBLIC KEY-----

      """
    case .development0:
      """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEspTZQunpp3guQ3PF1DTbhhypteVE
      BQdiHkSdrORR7BzA5i0R9ic0H30tqEQgEL3xYt8ern/xIm7T98yH2WalPw==
      -----END PUBLIC KEY-----

      """
    case .development1:
      """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEO0HGHkKJhN2tbXUPnzmatrq2IeDx
      QolOYpJpkbC1t3GrF83bj7RqjxHMXSqaxkhH3XZlVeDrubAYzrVWStfZdA==
      -----END PUBLIC KEY-----

      """
    case .adNetwork:
      """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELA+pfuawnvDrMv011HrKsIG3cYpY
      dBrAXQx7j5dMcaEmtv8kxThThXUOzOCy9ZnA53nIdFp0Q1fFxOkPDPiLGw==
      -----END PUBLIC KEY-----

      """
    }
  }
}
