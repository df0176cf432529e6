/// A separator of cells that a file of CSV has instead of commas.
enum OtherSeparator: Character, CaseIterable {
  case semicolon = ";"
  case tab = "\t"
  case bar = "|"

  /// Returns nil for a row with commas. A row has at least two cells: a user and a time.
  ///
  /// - Parameter cellCount: The number of cells between commas.
  init?(_ row: ArraySlice<UInt8>, cellCount: Int) {
    guard cellCount <= 2 else { return nil }
    func count(_ separator: Self) -> Int { row.count { $0 == separator.rawValue.asciiValue } }
    guard let most = Self.allCases.max(by: { count($0) < count($1) }), count(most) >= cellCount else { return nil }
    self = most
  }

  /// The error for people, with the remedy.
  var advice: String {
    let (name, option) =
      switch self {
      case .semicolon: ("semicolons", "-d ';'")
      case .tab: ("tabs", "-t")
      case .bar: ("vertical bars", "-d '|'")
      }
    return "the cells are separated by \(name) instead of commas; export the file with commas, or convert it with "
      + "csvformat \(option) of csvkit"
  }
}
