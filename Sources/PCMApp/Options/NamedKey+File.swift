import PCMSignatures

extension NamedKey {
  /// Reads the public key in a file that an option names.
  init(file path: String, option: String) throws {
    self = try StartError.naming(option) { try Self(readingFrom: path, option: option) }
  }

  private init(readingFrom path: String, option: String) throws(StartError) {
    let bytes: [UInt8]
    do throws(StartError) {
      bytes = try TextFile.bytes(of: path, upTo: PublicKey.fileLimit + 1)
    } catch {
      throw StartError(description: "cannot read \(path): \(error.description)")
    }
    do throws(KeyError) {
      self.init(name: path, use: "the key of \(option)", key: try PublicKey(file: bytes))
    } catch {
      throw StartError(description: "\(path): \(error.detail)")
    }
  }
}
