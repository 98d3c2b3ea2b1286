import CoreVideo
import Foundation
import ImageFiles
import Testing

/// A folder that is gone when the test is over.
private final class Scratch {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("image-files-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

private func pattern(_ format: OSType, width: Int, height: Int, bytesPerPixel: Int) throws -> CVPixelBuffer {
  let buffer = try CVBuffer.make(width: width, height: height, format: format)
  buffer.withPlane(0, readOnly: false) { base, pitch, _, _ in
    for y in 0..<height {
      for x in 0..<width * bytesPerPixel {
        (base + y * pitch + x).storeBytes(of: UInt8(truncatingIfNeeded: x * 37 + y * 101 + 5), as: UInt8.self)
      }
    }
  }
  return buffer
}

private func bytes(_ buffer: CVPixelBuffer, _ bytesPerPixel: Int) -> [[UInt8]] {
  buffer.withPlane(0, readOnly: true) { base, pitch, width, height in
    (0..<height).map { Array(UnsafeRawBufferPointer(start: base + $0 * pitch, count: width * bytesPerPixel)) }
  }
}

@Suite struct PNGFileTests {
  @Test(arguments: [
    (kCVPixelFormatType_OneComponent8, 1), (kCVPixelFormatType_OneComponent16, 2), (kCVPixelFormatType_64RGBALE, 8),
  ])
  func `reads what it wrote`(format: OSType, bytesPerPixel: Int) throws {
    let scratch = try Scratch()
    for (width, height) in [(1, 1), (7, 3), (64, 33)] {
      let buffer = try pattern(format, width: width, height: height, bytesPerPixel: bytesPerPixel)
      try PNGFile.write(buffer, to: scratch.file("a.png"), color: .untagged)
      let read = try PNGFile.read(scratch.file("a.png"))
      #expect(CVPixelBufferGetPixelFormatType(read) == format)
      #expect(bytes(read, bytesPerPixel) == bytes(buffer, bytesPerPixel))
    }
  }

  @Test func `keeps the colours of BGRA, and its alpha is opaque`() throws {
    let scratch = try Scratch()
    let buffer = try pattern(kCVPixelFormatType_32BGRA, width: 5, height: 4, bytesPerPixel: 4)
    try PNGFile.write(buffer, to: scratch.file("a.png"))
    let read = bytes(try PNGFile.read(scratch.file("a.png")), 4)
    for (row, original) in zip(read, bytes(buffer, 4)) {
      for index in row.indices { #expect(row[index] == (index % 4 == 3 ? 255 : original[index])) }
    }
  }

  @Test func `leaves out the alpha of 16-bit colours where that is wanted`() throws {
    let scratch = try Scratch()
    let buffer = try pattern(kCVPixelFormatType_64RGBALE, width: 7, height: 3, bytesPerPixel: 8)
    try PNGFile.write(buffer, to: scratch.file("a.png"), keepsAlpha: false)
    let read = bytes(try PNGFile.read(scratch.file("a.png")), 8)
    for (row, original) in zip(read, bytes(buffer, 8)) {
      for index in row.indices { #expect(row[index] == (index % 8 >= 6 ? 255 : original[index])) }
    }
    // Bit depth and colour type, behind the signature, the chunk's head, width and height.
    #expect(try Data(contentsOf: scratch.file("a.png"))[24..<26] == Data([16, 2]))
  }

  @Test func `says why a file cannot be read or written`() throws {
    let scratch = try Scratch()
    let buffer = try pattern(kCVPixelFormatType_OneComponent8, width: 40, height: 40, bytesPerPixel: 1)
    try PNGFile.write(buffer, to: scratch.file("a.png"))
    let whole = try Data(contentsOf: scratch.file("a.png"))
    for length in stride(from: 0, to: whole.count - 12, by: 7) {
      try whole.prefix(length).write(to: scratch.file("cut.png"))
      let error = #expect(throws: ImageFileError.self) { try PNGFile.read(scratch.file("cut.png")) }
      #expect(error?.kind == .malformed)
    }
    #expect(throws: ImageFileError.self) { try PNGFile.read(scratch.file("none.png")) }
    #expect(throws: ImageFileError.self) { try PNGFile.write(buffer, to: scratch.file("no/such/folder.png")) }
  }

  @Test func `refuses a picture whose sides are absurd`() throws {
    let scratch = try Scratch()
    let buffer = try pattern(kCVPixelFormatType_OneComponent8, width: 4, height: 4, bytesPerPixel: 1)
    try PNGFile.write(buffer, to: scratch.file("a.png"))
    var data = try Data(contentsOf: scratch.file("a.png"))
    // IHDR's width lies at byte 16; its checksum is wrong now, too, which is as good a reason.
    data[16] = 0x7F
    try data.write(to: scratch.file("huge.png"))
    #expect(throws: ImageFileError.self) { try PNGFile.read(scratch.file("huge.png")) }
  }
}

@Suite struct EXRFileTests {
  @Test func `reads each channel that it wrote`() throws {
    let scratch = try Scratch()
    for (width, height) in [(1, 1), (5, 3), (64, 50)] {
      let count = width * height
      let depth = EXRFile.Plane(width: width, height: height, samples: (0..<count).map { Float($0) * 0.25 + 0.1 })
      var near = EXRFile.Plane(width: width, height: height, samples: (0..<count).map { 1 / (Float($0) + 1) })
      near.samples[0] = .infinity
      try EXRFile.write(["Z": depth, "disparity": near], to: scratch.file("a.exr"))
      #expect(try EXRFile.read("Z", from: scratch.file("a.exr")) == depth)
      #expect(try EXRFile.read("disparity", from: scratch.file("a.exr")) == near)
    }
  }

  @Test func `says why a file cannot be read or written`() throws {
    let scratch = try Scratch()
    let plane = EXRFile.Plane(width: 30, height: 40, samples: (0..<1200).map { Float($0 * 7919 % 1200) })
    try EXRFile.write(["Z": plane], to: scratch.file("a.exr"))
    let missing = #expect(throws: ImageFileError.self) { try EXRFile.read("R", from: scratch.file("a.exr")) }
    #expect(missing?.description.contains("no channel 'R'") == true)
    let whole = try Data(contentsOf: scratch.file("a.exr"))
    for length in stride(from: 0, to: whole.count - 1, by: 61) {
      try whole.prefix(length).write(to: scratch.file("cut.exr"))
      #expect(throws: ImageFileError.self) { try EXRFile.read("Z", from: scratch.file("cut.exr")) }
    }
    #expect(throws: ImageFileError.self) { try EXRFile.write(["Z": plane], to: scratch.file("no/such/folder.exr")) }
  }
}

@Suite struct EXRColorTests {
  @Test func `says what its colours mean where that is known`() throws {
    let scratch = try Scratch()
    let plane = EXRFile.Plane(width: 2, height: 1, samples: [0, 1])
    let name = Data("chromaticities\0chromaticities\0".utf8)
    try EXRFile.write(["R": plane], to: scratch.file("plain.exr"))
    #expect(try Data(contentsOf: scratch.file("plain.exr")).range(of: name) == nil)
    try EXRFile.write(["R": plane], to: scratch.file("a.exr"), part: "picture", chromaticities: .bt2020)
    let data = try Data(contentsOf: scratch.file("a.exr"))
    // Eight little-endian floats behind their length.
    let start = try #require(data.range(of: name)).upperBound + 4
    let floats = (0..<8).map { index -> Float in
      let bits = data[(start + 4 * index)..<(start + 4 * index + 4)].reversed().reduce(UInt32(0)) {
        $0 << 8 | UInt32($1)
      }
      return Float(bitPattern: bits)
    }
    #expect(floats == [0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290])
    #expect(try EXRFile.read("R", from: scratch.file("a.exr")) == plane)
    #expect(try EXRFile.chromaticities(of: scratch.file("a.exr")) == .bt2020)
    #expect(try EXRFile.chromaticities(of: scratch.file("plain.exr")) == nil)
    #expect(EXRFile.Chromaticities.bt709.isNear(.bt709) && !EXRFile.Chromaticities.bt709.isNear(.p3))
    try data.prefix(40).write(to: scratch.file("cut.exr"))
    #expect(throws: ImageFileError.self) { try EXRFile.chromaticities(of: scratch.file("cut.exr")) }
  }
}

@Suite struct HostilePictureTests {
  @Test func `a header that promises more pixels than are read is refused before they get memory`() throws {
    let scratch = try Scratch()
    try EXRFile.write(["Z": EXRFile.Plane(width: 1, height: 1, samples: [1])], to: scratch.file("a.exr"))
    var data = try Data(contentsOf: scratch.file("a.exr"))
    // The window is stored behind its name, type and length, as left, top, right, bottom in little-endian.
    let name = try #require(data.range(of: Data("dataWindow\0box2i\0".utf8)))
    let right = name.upperBound + 4 + 8
    let last = UInt32(maximumImageSide - 1).littleEndian
    for place in [right, right + 4] {
      data.replaceSubrange(place..<place + 4, with: withUnsafeBytes(of: last) { Data($0) })
    }
    try data.write(to: scratch.file("huge.exr"))
    let error = #expect(throws: ImageFileError.self) { try EXRFile.read("Z", from: scratch.file("huge.exr")) }
    #expect(error?.kind == .unsupported)
  }

  @Test func `pipes and devices are no pictures, and nobody waits for them`() throws {
    let scratch = try Scratch()
    try #require(mkfifo(scratch.file("pipe").path, 0o600) == 0)
    for url in [scratch.file("pipe"), URL(fileURLWithPath: "/dev/zero"), scratch.url] {
      #expect(throws: ImageFileError.self) { try EXRFile.read("Z", from: url) }
      #expect(throws: ImageFileError.self) { try PNGFile.read(url) }
    }
  }
}
