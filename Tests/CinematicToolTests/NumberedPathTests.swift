import CinematicTool
import Testing

@Suite struct NumberedPathTests {
  @Test(arguments: [
    ("z-%d.exr", 7, "z-7.exr"), ("z-%05d.exr", 7, "z-00007.exr"), ("%02d", 123, "123"),
    ("100%%/%03d.exr", 0, "100%/000.exr"),
    ("%%d%d", 1, "%d1"), ("%018d", 1, "000000000000000001"),
  ])
  func `numbers take the place of their mark`(pattern: String, number: Int, path: String) {
    #expect(NumberedPath(pattern)?.path(number) == path)
  }

  @Test(arguments: ["z.exr", "%%d.exr", "%s.exr", "%5d", "%d-%d", "%d%n", "%", "%d%", "%x", "%019d", "%0099d", "%-3d"])
  func `other marks are none`(pattern: String) {
    #expect(NumberedPath(pattern) == nil)
  }
}
