import BrowserSupport
import Foundation
import NIOConcurrencyHelpers
import PCMCore
import PCMCrypto
import PCMNetwork

/// The visible uses of tokens, in order.
enum TokenEntry: Hashable, Sendable {
  /// A page with a nonce was clicked, or redirected to; its site knows the nonce.
  case played(nonce: String, host: String, party: Recipient)
  /// - Parameter served: which key the answer held; nil when it held none.
  case key(host: String, served: Int?)
  /// - Parameters:
  ///   - secrets: the blinded message and the blind signature, if any, in base64url.
  ///   - isGood: whether the answer is a signature by the key that was served last.
  case signature(host: String, body: String, secrets: [String], isGood: Bool)
  case report(host: String, body: String, isDelivered: Bool)
  /// The answer to an event, and the token of an attribution.
  case event(nonce: String?, isRefusedForToken: Bool, showsToken: Bool?)
  case death
}

/// Sites with two keys each that sign for every caller, unless a fault prevents it.
final class TokenNetwork: Sendable {
  private struct State {
    var keys: [String: Int] = [:]
    var served: [String: Int] = [:]
    var weather: [String: SigningWeather] = [:]
    var isFair = true
    var requestsToDeath: Int?
    var entries: [TokenEntry] = []
  }

  /// Both keys have permitted sizes; the second is larger, so that a mistake about whose key it is shows early.
  static let keys = Result { try ["signing-key-2048.pem", "signing-key-3072.pem"].map { try TokenSigner($0).key } }

  private let keys: [TokenPrivateKey]
  private let machine: Machine
  private let state = NIOLockedValueBox(State())

  init(machine: Machine) throws {
    self.machine = machine
    keys = try Self.keys.get()
  }

  var entries: [TokenEntry] { state.withLockedValue { $0.entries } }

  func note(_ entry: TokenEntry) { state.withLockedValue { $0.entries.append(entry) } }

  func rotate(_ host: String) { state.withLockedValue { $0.keys[host, default: 0] ^= 1 } }

  func change(_ weather: SigningWeather, at host: String) { state.withLockedValue { $0.weather[host] = weather } }

  func change(isFair: Bool) { state.withLockedValue { $0.isFair = isFair } }

  func dieAtRequest(after count: Int?) { state.withLockedValue { $0.requestsToDeath = count } }

  func answer(_ request: OutgoingRequest) -> Exchange {
    state.withLockedValue { state in
      let exchange = answer(request, &state)
      guard let count = state.requestsToDeath else { return exchange }
      state.requestsToDeath = count > 0 ? count - 1 : nil
      guard count == 0 else { return exchange }
      machine.kill()
      return Exchange(failure: TransportFailure(.transportClosed, "the process is dead"))
    }
  }

  private func answer(_ request: OutgoingRequest, _ state: inout State) -> Exchange {
    let host = String(request.url.dropFirst("https://".count).prefix { $0 != "/" })
    let body = String(decoding: request.body ?? [], as: UTF8.self)
    let weather = state.weather[host] ?? .fair
    if request.method == .get { return key(of: host, weather, &state) }
    if BrowserRequest.isSigning(request) { return signature(by: host, body, request, weather, &state) }
    state.entries.append(.report(host: host, body: body, isDelivered: state.isFair))
    return Exchange(httpStatus: state.isFair ? 200 : 503)
  }

  private func key(of host: String, _ weather: SigningWeather, _ state: inout State) -> Exchange {
    let served = (state.keys[host] ?? 0) ^ (weather == .otherKey ? 1 : 0)
    let isServed = weather != .silentKey && weather != .pageForKey
    state.entries.append(.key(host: host, served: isServed ? served : nil))
    state.served[host] = isServed ? served : nil
    if weather == .silentKey { return Exchange(failure: TransportFailure(.timedOut, "silence")) }
    return TokenSigner.answer(
      ["token_public_key": .string(keys[served].publicKeyWire)],
      contentType: weather == .pageForKey ? "text/html" : "application/json")
  }

  private func signature(
    by host: String, _ body: String, _ request: OutgoingRequest, _ weather: SigningWeather, _ state: inout State
  ) -> Exchange {
    let number = state.keys[host] ?? 0
    let members = (try? JSONDecoder().decode(JSON.self, from: Data(body.utf8)))?.members ?? []
    var secrets: [String] = []
    if case .string(let text)? = members.first(where: { $0.name.hasSuffix("_unlinkable_token") })?.value { secrets = [text] }
    let signature = secrets.first.flatMap(Base64URL.decode).flatMap { try? keys[number].sign(blindedMessage: $0) } ?? []
    if !signature.isEmpty { secrets.append(Base64URL.encode(signature)) }
    let isSigned = ![.silentSignature, .forgedSignature, .emptySignature].contains(weather) && !signature.isEmpty
    state.entries.append(
      .signature(host: host, body: body, secrets: secrets, isGood: isSigned && state.served[host] == number))
    switch weather {
    case .silentSignature: return Exchange(failure: TransportFailure(.timedOut, "silence"))
    case .emptySignature: return TokenSigner.answer([:])
    case .forgedSignature:
      let forged = signature.dropLast() + [(signature.last ?? 0) ^ 1]
      return TokenSigner.answer(["unlinkable_token": .string(Base64URL.encode(Array(forged)))])
    default: return TokenSigner.answer(["unlinkable_token": .string(Base64URL.encode(signature))])
    }
  }
}
