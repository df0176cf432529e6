import Foundation
import PCMManifest
import Testing

@Suite struct XMLStructureTests {
  private static func xml(_ line: Int, _ column: Int, _ cause: XMLProblem.Cause) -> ManifestError {
    .malformedXML(XMLProblem(line: line, column: column, cause))
  }

  @Test(
    "Text that is not an XML property list is rejected by its format",
    arguments: [
      ("", ManifestError.notAPropertyList(.empty)),
      (" \n\t", .notAPropertyList(.empty)),
      ("<!doctype html><html></html>", .notAPropertyList(.html)),
      ("<HTML></HTML>", .notAPropertyList(.html)),
      (#"{"CFBundleIdentifier": "a=b"}"#, .notAPropertyList(.json)),
      ("[1]", .notAPropertyList(.json)),
      ("{ CFBundleIdentifier = \"com.example:app\"; }", .notAPropertyList(.oldStyleText)),
      ("(a, b)", .notAPropertyList(.oldStyleText)),
      ("CFBundleIdentifier: a", .otherFile(.yaml)), ("what is this", .notAPropertyList(.otherContent)),
      ("<manifest package=\"a\"/>", .otherFile(.androidManifest)), ("<a/>", .notAPropertyList(.otherXML)),
      ("<dict><key>CFBundleIdentifier</key><string>a</string></dict>", .otherFile(.propertyListFragment)),
      ("<plist><array/></plist>", .notADictionary),
      ("<plist><string>a</string></plist>", .notADictionary),
      ("<plist><dict>", xml(1, 14, .endOfFile(inside: "<dict>, which begins in line 1"))),
      ("<plist><dict></plist></dict>", xml(1, 14, .wrongClosingTag(found: "plist", element: "dict", openedAt: 1))),
      ("<plist><dict/></plist></dict>", xml(1, 23, .closingTagWithoutElement("dict"))),
      ("<plist><dict/></plist><plist/>", xml(1, 23, .contentAfterEnd)),
      ("<plist><dict/></plist>\n trailing", xml(2, 2, .contentAfterEnd)),
      ("<plist><dict><key>a</key>\n<foo/></dict></plist>", xml(2, 1, .unknownElement("foo"))),
      ("<plist><dict><key>a</key><string>&#0;</string></dict></plist>", xml(1, 34, .invalidCharacterReference("#0"))),
      (
        "<plist><dict><key>a</key><string>&#x110000;</string></dict></plist>",
        xml(1, 34, .invalidCharacterReference("#x110000"))
      ),
      ("<plist><dict><key>a</key><integer>q</integer></dict></plist>", xml(1, 26, .invalidValue("q", element: "integer"))),
      ("<plist><dict><key>a</key><date>tomorrow</date></dict></plist>", xml(1, 26, .invalidValue("tomorrow", element: "date"))),
      ("<plist><dict><key>a</key><string>\0</string></dict></plist>", .notAPropertyList(.utf16WithoutMark)),
      ("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>", .entitiesNotAllowed),
      ("<!DOCTYPE plist SYSTEM \"file:///etc/passwd\" []><plist><dict/></plist>", .entitiesNotAllowed),
      ("<!ENTITY a \"b\"><plist><dict/></plist>", .entitiesNotAllowed),
      ("<plist><dict><key>a</key><string>&a;</string></dict></plist>", xml(1, 34, .unknownEntity("a"))),
    ])
  func refused(_ text: String, _ refusal: ManifestError) {
    #expect(throws: refusal, "\(text.debugDescription)") { try reader.read(Array(text.utf8)) }
  }

  /// Each hides open elements from a scanner that is stricter, or looser, than Foundation's.
  @Test(
    "Markup that parsers could interpret differently is rejected",
    arguments: [
      "<key>a</key><array a=\">\"/>", "<key>a</key><array a='<array>'/>", "<key>a</key><!--><array>--><true/>",
      "<key>a</key><!---><array>--><true/>", "<key>a</key><?x > <array>?><true/>", "<?xml encoding=\"UTF-7\"?>",
    ])
  func ambiguous(_ keys: String) {
    let error = #expect(throws: ManifestError.self) { try reader.read(propertyList(keys)) }
    guard case .malformedXML(let problem) = error else {
      Issue.record("\(keys): \(String(describing: error))")
      return
    }
    #expect(problem.line == 2 && problem.cause == .markup, "\(keys): \(problem)")
  }

  @Test(
    "The markup of real files is accepted",
    arguments: [
      "<!-- a comment -- with > and & and <array> in it -->", "<key>a</key><string><![CDATA[<array> & ]]></string>",
      "<key>a</key><string>&amp;&lt;&gt;&quot;&apos;&#65;&#x41;</string>", "<key>a</key><array />",
      "<key>a</key ><true></true>",
    ])
  func accepted(_ keys: String) throws {
    #expect(try reader.read(propertyList(keys)).bundleIdentifier == "com.example.app", "\(keys)")
  }

  @Test("UTF-8 with a byte order mark and UTF-16 of both byte orders are parsed")
  func encodings() throws {
    let text = "<?xml version='1.0' encoding='%'?><plist><dict><key>CFBundleIdentifier</key><string>a</string></dict></plist>"
    let utf8 = [0xEF, 0xBB, 0xBF] + Array(text.replacing("%", with: "utf-8").utf8)
    let units = text.replacing("%", with: "UTF-16").utf16
    let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    for bytes in [utf8, big, little] { #expect(try reader.read(bytes).bundleIdentifier == "a") }
    for bytes in [Array(big.dropFirst(2)), Array(little.dropLast()), [0x3C, 0xFF, 0xFF]] {
      #expect(throws: ManifestError.self) { try reader.read(bytes) }
    }
  }

  @Test("A declared encoding that differs from the bytes is rejected", arguments: ["UTF-7", "ISO-8859-1", "UTF-16", ""])
  func declaredEncoding(_ name: String) {
    let text = "<?xml version=\"1.0\" encoding=\"\(name)\"?><plist><dict/></plist>"
    #expect(throws: ManifestError.notAPropertyList(.encoding)) { try reader.read(Array(text.utf8)) }
  }

  @Test(
    "Nesting above 64 levels is rejected, immediately at any depth",
    arguments: [
      (63, false), (64, true), (1_000, true), (100_000, true),
    ])
  func depth(_ arrays: Int, _ isRefused: Bool) {
    let nested = String(repeating: "<array>", count: arrays)
    let closed = String(repeating: "</array>", count: min(arrays, 10_000))
    let bytes = propertyList("<key>a</key>\(nested)\(closed)")
    if isRefused {
      #expect(throws: ManifestError.tooDeep(limit: 64)) { try reader.read(bytes) }
    } else {
      #expect(throws: Never.self) { try reader.read(bytes) }
    }
  }

  @Test("A file of more than 1 MiB is rejected without parsing")
  func size() {
    let limit = ManifestReader.sizeLimit
    #expect(throws: ManifestError.tooLarge(limit: limit)) { try reader.read([UInt8](repeating: 0x20, count: limit + 1)) }
    #expect(throws: ManifestError.notAPropertyList(.empty)) { try reader.read([UInt8](repeating: 0x20, count: limit)) }
  }
}
