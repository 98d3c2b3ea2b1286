import CinematicTool
import Testing

@Suite struct OverlayTests {
  /// The overlay as letters: `.` nothing, `#` black, `w` white, `y` yellow.
  private func picture(_ overlay: Overlay) -> [String] {
    var rows = Array(repeating: Array(repeating: Character("."), count: overlay.width), count: overlay.height)
    for run in overlay.runs {
      for column in run.columns {
        rows[run.row][column] = ["w", "y", "#"][[.white, .yellow, .black].firstIndex(of: run.color)!]
      }
    }
    return rows.map { String($0) }
  }

  @Test func `a solid box has a rim`() {
    var overlay = Overlay(width: 12, height: 8)
    overlay.stroke(columns: 2..<10, rows: 2..<6, lineWidth: 1, isDashed: false, .white)
    #expect(
      picture(overlay) == [
        "............", ".##########.", ".#wwwwwwww#.", ".#w######w#.", ".#w######w#.", ".#wwwwwwww#.",
        ".##########.", "............",
      ])
  }

  @Test func `a dashed box has gaps and its corners`() {
    var overlay = Overlay(width: 60, height: 60)
    overlay.stroke(columns: 5..<55, rows: 5..<55, lineWidth: 2, isDashed: true, .yellow)
    let rows = picture(overlay)
    #expect(rows[5].contains("yy.") || rows[5].contains("y#."))
    for (x, y) in [(5, 5), (54, 5), (5, 54), (54, 54)] { #expect(Array(rows[y])[x] == "y") }
    #expect(rows == rows.map { String($0.reversed()) })
  }

  @Test func `nothing is drawn outside the picture`() {
    var overlay = Overlay(width: 20, height: 10)
    overlay.stroke(columns: -50..<500, rows: -9..<90, lineWidth: 3, isDashed: true, .white)
    overlay.stroke(columns: 30..<40, rows: 3..<3, lineWidth: 3, isDashed: false, .white)
    overlay.label("123456789", x: 1000, y: -1000, .white)
    #expect(overlay.runs.allSatisfy { (0..<10).contains($0.row) && (0...20).contains($0.columns.upperBound) })
    #expect(overlay.runs.allSatisfy { !$0.columns.isEmpty && $0.columns.lowerBound >= 0 })
  }

  @Test func `labels are read on a plate`() {
    // Letters are three pixels a dot in a picture this small; the plate has two dots around them.
    var overlay = Overlay(width: 40, height: 40)
    overlay.label("1", x: 3, y: 1, .white)
    let rows = picture(overlay)
    #expect(rows[0] == String(repeating: ".", count: 40))
    #expect(rows[1] == "..." + String(repeating: "#", count: 27) + "..........")
    #expect(rows[7] == "...############www############..........")
    #expect(rows[25] == "...#########wwwwwwwww#########..........")
    #expect(rows[34] == String(repeating: ".", count: 40))
  }
}
