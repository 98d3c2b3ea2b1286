import Cinematic
import Foundation
public import QuickTimeFuzz

extension FuzzTarget {
  /// Files `.AAE`: property lists of both kinds around JSON, and bare compressed data.
  public static let adjustments = FuzzTarget(
    name: "adjustments",
    seeds: { [try file(.xml), try file(.binary), deflated] },
    run: { data in
      if let file = try? AdjustmentFile(data) {
        expect(file.fNumber != nil || !file.focus.isEmpty, "a file that is taken says something")
        expect(file.fNumber?.isFinite ?? true, "an f-number is a number")
      }
      expect((Inflate.data(data)?.count ?? 0) <= Inflate.maximumBytes, "nothing unfolds beyond the limit")
    })

  private static func file(_ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
    let json = #"{"adjustments": [{"aperture": 2, "focus": [{"time": 1.5, "disparity": 0.75}]}]}"#
    let list: [String: Any] = [
      "adjustmentBaseVersion": 0, "adjustmentData": Data(json.utf8), "adjustmentFormatIdentifier": "com.apple.photo",
      "adjustmentFormatVersion": "1.9", "adjustmentRenderTypes": [1, 2, ["a": true]] as [Any],
    ]
    return try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
  }

  /// DEFLATE with a block of its own tables.
  private static var deflated: Data {
    Data(
      base64Encoded:
        "7ZDbjcUgDAUbmo/YBgP9N7YDJez3lSKUhPP+CAaHaHJSzTj0YAdFDsZiJUkFnRwRxfqIZBZHtFwFfB/Mj01PcrE3c5DJVk2pSQS7aRmbSkIk"
        + "p9iTdVie9Z736U+v+oKESpAmOZ6QcooqrYE2mmm5r7kRbpB4ofoGNKZhjWzwfiXy1rGU1eqWtKqF65V3guMWwffb5LfJ/zf5Aw==")
      ?? Data()
  }
}
