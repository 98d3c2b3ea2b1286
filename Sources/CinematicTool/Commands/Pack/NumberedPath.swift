import Foundation

/// The name of numbered files, such as `z-%05d.exr`: one number, with zeros in front if it says so; `%%` stands for a percent sign.
package struct NumberedPath: Hashable, Sendable {
  private let before: String
  private let after: String
  private let digits: Int

  /// The most digits that a name may ask for.
  package static let maximumDigits = 18

  /// Nil for a name without exactly one number.
  package init?(_ text: String) {
    let numbers = text.matches(of: /%%|%d|%0[0-9]{1,2}d/).filter { $0.output != "%%" }
    guard numbers.count == 1, let number = numbers.first else { return nil }
    let digits = Int(number.output.dropFirst().dropLast()) ?? 1
    guard digits <= Self.maximumDigits else { return nil }
    let (before, after) = (text[..<number.range.lowerBound], text[number.range.upperBound...])
    guard Self.isPlain(before), Self.isPlain(after) else { return nil }
    self.before = before.replacing("%%", with: "%").description
    self.after = after.replacing("%%", with: "%").description
    self.digits = digits
  }

  private static func isPlain(_ text: Substring) -> Bool { !text.replacing("%%", with: "").contains("%") }

  package func path(_ number: Int) -> String {
    let text = String(number)
    return before + String(repeating: "0", count: max(0, digits - text.count)) + text + after
  }
}
