import PCMCrypto

/// The two token keys that simulated sites serve and sign with. These public test keys give a test the same result
/// everywhere.
package enum SimulatedSiteKeys {
  private static let first = try? TokenPrivateKey(pem: firstPEM)
  private static let second = try? TokenPrivateKey(pem: secondPEM)

  /// The key with a name; nil if its text cannot be read, which a test excludes.
  static subscript(key: SiteBehavior.Key) -> TokenPrivateKey? {
    switch key {
    case .first: first
    case .second: second
    }
  }

  /// `Fixtures/tokens/signing-key-2048.pem`.
  private static let firstPEM = """
    -----BEGIN PRIVATE KEY-----
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCRxNZa0rspjJ+M
    7gO12/pzqOL3USAz0IEX4T20CCYQ9nFkYPKR7ipAmijllVPMDyNbJekoNvJ21BE/
    B8Binz6QZESu/YtBZIdQo6P/32DRLDhe0sN4TjJ3ru32j6xi5JfPWxOoWedfj34Y
    bFGyxdA67jv78Gf6QywjzG6q3+i+QN5RlyxFF3LaO7uF9BtFeBBdHtlKzVfxZVnq
    qXBOJhIhDiJUucF25mIBExFBqhXVCVaowZfA1S781p4nPw3TtR7a/Rrx7rmGqxKZ
    6/qZ2I8RTz+XvKIfe2wkWgsCvf8peRSJViApVlfzvVrY6fbZiEffbysqw9Lgenn7
    /dpCGR8TAgMBAAECggEAAlWWHy83uxMa7P1UxuFGcfq248IDU4EXyCOdwtfMkEH6
    D+Lzj32yZIVzeTW6eU6WwNtrD+9NU7TSr+E2Zf3p2RMZ/Hln9PygpBxywGK54K+m
    GXKjmbYa3crJ2cR0PMMvYS0ys+P4rhGUsdxuNIAxdPgissanS50uxEX+UbMzPXSz
    SXdihEbG6kU8yu6TqsMA4UCzixfvWUihWmCHHcF4wL1uS9CSOI/1P1K7x/tiw96g
    f5Avp00kFzjOAQuK1qSAqDCv8g5oOX0pYrRqP8dufHYiKfLCs8K6D+CobHcWv+ai
    0uQu55GwjqS02i7qe5iMs3UXI49Et001H3PXd6bY7QKBgQDJXBa3w+UQLzY2R2Cm
    e+jB5lpHtbzpZHtaTLbdpoixKCTQuEJuYyJU4q45hS5p2F/JVgWW7dFyqaD/3VQ9
    o20GtmF6pCDCqo8HG5/zRXrEyKkLy8/7lkmr0D2Fv5N5QyAAqXgKIzSTbBSeqYSz
    oGnC7mIwOw0+UPBnbl/is7Sn/QKBgQC5UwFfu00rprc0drXykgZt/WUfG/Xbp2KW
    HgmgH5rQwrcPsPz8sehxTbhcn4mD67xd1U/E8Y4wls1oLINLkeQC/xTS+yZRoCGv
    kOJMUCzwumlP8zcC20rrO+i8HZk2gSWN894ixLyhM4/6SocgtGpuAslEcYEX5ckl
    S+NC7kzoTwKBgQDDRriNbMBHqtGTYDN+IWrAKKpjIv/bBGSQVRd+65Ni40CY3ikm
    rqNL2S4HgH5bjciPFAqFrYtS/OizWqzovgXs3ZC5hFR1FT1yMjszjK0cDFHMq9K+
    9afqpSAVBo55qjxuB+vvQOcrFUUF/fZA0Y/fyJmWlp4oUgxi8mqxC4Bm7QKBgH4I
    BgItpZCPAz6JkLkTN44rak6avDuR/MisSs17UNSx5r6kFZhgAPy05zEOSf3OHj8N
    5v6/a3x9wdkblHqbD54+DNJifC+8n8v+0vck+zsG+sGlXH7z1WJeTqtH0b8wWvLL
    qwCoHMPgBgUoE/dY2pxQBsImEq3G1mEn17jXyLOfAoGASNtM7e4htn+/XxFFQ7Zx
    SWPcP5863adwfctccpmaRwEaYc2iULc4oVcrYiiPIMmKLEcVSif4L4qyhd9kBICK
    4h4Voc92402Eys0V0c/K3PmZfCWiNnMubnxX/8YBNjZISO+AzojBtSlpeAX5/FAg
    yneWK/i3/YiQOgTnTZSc4DU=
    -----END PRIVATE KEY-----
    """

  /// Generated for this project with `openssl genrsa 2048`.
  private static let secondPEM = """
    -----BEGIN PRIVATE KEY-----
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDdMJwZ4nIIBb5f
    H2sC9M18KSPtn3VOTp8EGf65nFxOmZRPJgwdG6vm99+e1P6pOFo6YnOb3CUIoJD9
    nldBJgtnSGbB3d23bJRhOEY2v1Ong4NpAZXPSiHKqmf5lE84bDXcxletG3Z06HjB
    wsDD9LBpJr7lSxkGwUS+hvVlXSYouYzLLQNOW8bAkd7KPjB+jm3BxwURfKucw7lc
    lz4uzMGcG8tob+Q8MVE5PKvfhe1u91gKuCxGYV1PnwL4FajaitgcWTFBNNZYYU3F
    5n3xFaCPzsCOCn8dtXpJ7YEr9YHwr0V/UCQtROTLIugX5vHHgBFplAfrps5YVjJu
    +R3QWyT7AgMBAAECggEAIFMNxQSgSIbaWtljEKQI8ZerjfrrMD3yJC3OWX69yKjO
    EUEMrSZRmWfpELOs4bsACJ9BqOnjqZ6Zgc7ljnpKWVYt2jAbykX+azTHohGU3pqs
    FijqpUf+pzj/B+zCJQs/VdvQjVZBmfUtTJezBxAXxc4pQKYYarHM45EihKU3weSS
    Qg48f/wepP74jKOhz+YmgCMPXJXpyk0u9JIPlgDTYYTl5I/yFbCY9BnVTlBKcJuj
    UdTbOxW8J2dRmUGmWc67bDEuDrdobTibYsd82uelqQubmF8UaSHm5AFutJeC+zk+
    V9YEdtaQ//pbn+mnHaS93FP7CMZ/kLsV2M2zQR24HQKBgQD7+DmNj+gy/qnGrmjf
    E4bBGuYgGDrQDsK27dV2B04nICTpl+epq3oDcCcK8O5VenDRCynIMA/IYR0mZgtp
    fLhpu2bUas+3zulVIIN7HYuvOJrEVpRbNWzFeyUHbj7Yxk/gpRpXuci1BCw7jUaV
    1K+xYGY6EWyoJB/vCbj9Qzo2dwKBgQDguljKDj+m61V+/KYP2aniSjg+8M2ulxsh
    ayJ7/MUlLGWqATy9wzPs6cRLOHS+wWdSouhfn/0qCZW1Q1Q0ZS8HWkL8JZ8hpcK+
    YRHskE0a5kqRVw0FCu4iJX9rL7HjPfWOtVc+CouFLRmerNUfQG0kd7xQrBdrMxXW
    qePej7+ynQKBgAOIhI4WoYPtjEXr9i6CoJYeoXF7xX9bZaGZDjA8g/0Kd1oLNkVr
    0ScxMGr32++46tITnP9gpSgDLJx4O9q70/4vkY6S/Nyv+xelgBJ+5JGNcqYkLKpm
    wmK2iltjUWBKz53v0sG+KjFXoKMpJP8+30PWfTh9PA/TidsZQM3UXoGbAoGAOBXJ
    uwO7Vwk8mSisuR/1ighD6VFnw77qgniebpszCIgAB2GvqxxghSwCVVONr13NT45g
    uBzRrgAeYNKg3UKzbf5U4WDySg94ftLzCjspQyFeUs+K7EtCCzuYhUOt/ayk8CzJ
    zS4Mi/wpfLRdrCMEGinX0bphTdu+A4j62by+dvECgYEA8Tmq13dHfxmZYPTs7X0s
    x2EwuccDd8/VxBwIpm03swQr+aUZzhMyIG1Fu5dWr5drNJo+04PJ+dcskNBy/2Lb
    R+UYH6+eJThF48H39DfiBXiWoyr0YTyZIxTZ19Uck3IX+AncGfR74HQJHI2eTob7
    1LbBpA0UIucXaWyqx3nS290=
    -----END PRIVATE KEY-----
    """
}
