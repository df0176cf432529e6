import PCMCrypto

extension NamedKey {
  /// Reads the public keys in the files that an option names: one in each file, or a JSON Web Key Set.
  static func read(files: [String], option: String) throws -> [NamedKey] {
    try files.flatMap { path in try StartError.naming(option) { try keys(in: path, option: option) } }
  }

  private static func keys(in path: String, option: String) throws(StartError) -> [NamedKey] {
    let bytes: [UInt8]
    do throws(StartError) {
      bytes = try TextFile.bytes(of: path, upTo: PublicKey.fileLimit + 1)
    } catch {
      throw StartError(description: "cannot read \(path): \(error.description)")
    }
    do throws(KeyError) {
      let keys = try PublicKey.keys(file: bytes)
      return keys.map { name, key in
        let suffix = keys.count > 1 ? "#" + (name ?? "") : ""
        return NamedKey(name: path + suffix, use: "the key of \(option)", key: key)
      }
    } catch {
      throw StartError(description: "\(path): \(error.detail)")
    }
  }
}
