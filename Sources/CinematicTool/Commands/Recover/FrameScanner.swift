import CoreVideo
package import Foundation
import Glibc
package import ProRes
package import QuickTime

/// Finds the whole ProRes frames of a file whose index is lost, wherever they lie, from front to back.
///
/// Every `icpf` is looked at: behind one that begins no frame, or a frame that is not whole, the search goes on with the next byte, so that
/// no frame is missed. What is in memory is one frame and a block of the file.
package struct FrameScanner {
  package struct Frame {
    package let offset: Int64
    package let data: Data
    package let header: ProResFrameHeader
  }

  /// What was met beside whole frames.
  package struct Findings: Sendable {
    /// Where frames begin whose slices contradict each other; the first ones.
    package internal(set) var damaged: [Int64] = []
    package internal(set) var damagedCount = 0
    /// The frame that goes beyond the end of the file.
    package internal(set) var cutOff: (offset: Int64, byteCount: Int)?
    /// Where the search was given up, in a file made of things that only look like frames.
    package internal(set) var givenUpAt: Int64?
    /// Marks of ProRes RAW.
    package internal(set) var rawCount = 0
  }

  private let source: any ByteSource
  package private(set) var findings = Findings()
  /// Where the next frame may begin.
  package private(set) var position: Int64
  private var window = Data()
  private var windowStart: Int64 = 0
  private var wastedBytes: Int64 = 0
  /// What the last frame was like.
  private var format: RecoveredFormat?

  private static let blockBytes = 4 << 20
  /// The most places of damaged frames that are remembered.
  private static let damagedPlaces = 16
  /// Frames that turn out to be none cost reading them: no more than this many times the file is spent on that.
  private static let patience: Int64 = 16

  package init(_ source: any ByteSource, from position: Int64 = 0) {
    self.source = source
    self.position = position
  }

  /// The next whole frame; nil at the end. Throws `QuickTimeError` where the file cannot be read.
  package mutating func next() throws(QuickTimeError) -> Frame? {
    while findings.givenUpAt == nil, let offset = try nextMark() {
      position = offset + 1
      if let frame = try frame(at: offset) {
        position = offset + Int64(frame.data.count)
        format = RecoveredFormat(frame.header)
        noteFalseEnd()
        return frame
      }
    }
    return nil
  }

  /// The place of the next `icpf`'s size.
  private mutating func nextMark() throws(QuickTimeError) -> Int64? {
    while source.byteCount - position >= 8 {
      try fill()
      let start = Int(position - windowStart)
      if let mark = window.withUnsafeBytes({ Self.firstMark("icpf", in: $0, from: start + 4) }) {
        return windowStart + Int64(mark - 4)
      }
      countRawMarks(from: start)
      position = max(position + 1, windowStart + Int64(window.count) - 7)
    }
    return nil
  }

  /// Makes the window hold what a frame at `position` is judged by, as far as the file goes.
  private mutating func fill() throws(QuickTimeError) {
    let end = windowStart + Int64(window.count)
    let wanted = min(position + Int64(ProResFrame.probeByteCount), source.byteCount)
    guard position < windowStart || wanted > end else { return }
    windowStart = position
    window = try source.read(at: position, count: Int(min(Int64(Self.blockBytes), source.byteCount - position)))
  }

  /// Where the four characters stand first, from `start` on.
  private static func firstMark(_ mark: FourCC, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let first = Int32(mark.rawValue >> 24)
    var start = start
    while start + 4 <= bytes.count, let found = memchr(base + start, first, bytes.count - start - 3) {
      let place = UnsafeRawPointer(found) - base
      if UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)) == mark.rawValue {
        return place
      }
      start = place + 1
    }
    return nil
  }

  /// Only asked where no frame has been found.
  private mutating func countRawMarks(from start: Int) {
    var position = start + 4
    while let mark = window.withUnsafeBytes({ Self.firstMark("prrf", in: $0, from: position) }) {
      findings.rawCount += 1
      position = mark + 4
    }
  }

  // MARK: Telling frames from what looks like one

  private mutating func frame(at offset: Int64) throws(QuickTimeError) -> Frame? {
    guard let header = try probe(offset) else {
      noteBeginningOfFrame(at: offset)
      return nil
    }
    let byteCount = Int64(header.frameByteCount)
    guard byteCount <= Int64(ReadingLimit.sampleBytes) else {
      noteDamage(offset, 0)
      return nil
    }
    guard byteCount <= source.byteCount - offset else {
      noteFalseEnd()
      findings.cutOff = (offset, header.frameByteCount)
      return nil
    }
    // A few bytes more, for a mark that lies across the frame's end.
    let bytes = try read(offset, Int(min(byteCount + 7, source.byteCount - offset)))
    let data = bytes.prefix(header.frameByteCount)
    if Self.isSound(data), try !swallowsAnother(bytes, header, at: offset) {
      return Frame(offset: offset, data: data, header: header)
    }
    noteDamage(offset, byteCount)
    return nil
  }

  /// The header of what may be a frame, by its first bytes.
  private mutating func probe(_ offset: Int64) throws(QuickTimeError) -> ProResFrameHeader? {
    position = offset
    try fill()
    position = offset + 1
    let start = Int(offset - windowStart)
    return window.withUnsafeBytes { bytes in
      ProResFrame.mayBegin(
        UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, start + ProResFrame.probeByteCount)]))
    }
  }

  private func read(_ offset: Int64, _ count: Int) throws(QuickTimeError) -> Data {
    let start = Int(offset - windowStart)
    guard start >= 0, start + count <= window.count else { return try source.read(at: offset, count: count) }
    return window.subdata(in: start..<start + count)
  }

  private static func isSound(_ data: Data) -> Bool {
    data.withUnsafeBytes { bytes in (try? ProResFrame(bytes))?.hasSoundSlices(bytes) ?? false }
  }

  /// Whether another frame begins inside and ends behind: a recording that lost some bytes looks so, the last slice of one frame then
  /// holds the beginning of the next.
  private func swallowsAnother(
    _ bytes: Data, _ header: ProResFrameHeader, at offset: Int64
  ) throws(QuickTimeError) -> Bool {
    var mark = bytes.withUnsafeBytes { Self.firstMark("icpf", in: $0, from: 8) }
    while let found = mark {
      let inner = found - 4
      if inner < header.frameByteCount, let other = try probe(inner, of: bytes, at: offset),
        inner + other.frameByteCount > header.frameByteCount
      {
        // Of two frames that overlap, one that is whole is none of the other's data; one that is not may be.
        return try isWhole(other, at: offset + Int64(inner))
          || !Self.decodesCleanly(bytes.prefix(header.frameByteCount), header)
      }
      mark = bytes.withUnsafeBytes { Self.firstMark("icpf", in: $0, from: found + 4) }
    }
    return false
  }

  private func isWhole(_ header: ProResFrameHeader, at offset: Int64) throws(QuickTimeError) -> Bool {
    let byteCount = header.frameByteCount
    guard byteCount <= ReadingLimit.sampleBytes, Int64(byteCount) <= source.byteCount - offset else { return false }
    return Self.isSound(try source.read(at: offset, count: byteCount))
  }

  /// The header of what may be a frame inside another one, whose bytes are read anew where they go beyond it.
  private func probe(_ inner: Int, of bytes: Data, at offset: Int64) throws(QuickTimeError) -> ProResFrameHeader? {
    let left = source.byteCount - offset - Int64(inner)
    let count = Int(min(Int64(ProResFrame.probeByteCount), left))
    let isInside = inner + count <= bytes.count
    let probed = isInside ? bytes[inner..<inner + count] : try source.read(at: offset + Int64(inner), count: count)
    return probed.withUnsafeBytes { ProResFrame.mayBegin($0) }
  }

  /// Whether all slices can be read to their ends.
  private static func decodesCleanly(_ data: Data, _ header: ProResFrameHeader) -> Bool {
    guard let decoder = try? ProResDecoder(codec: fourCharacterCode("apch")) else { return false }
    let format = header.chroma == .full ? kCVPixelFormatType_4444AYpCbCr16 : kCVPixelFormatType_422YpCbCr16
    let made = data.withUnsafeBytes { try? decoder.decode($0, pixelFormat: format) }
    return made?.report.isSound ?? false
  }

  /// A header like that of the frame before, with slices behind it that cannot be: a frame that was damaged near its beginning.
  private mutating func noteBeginningOfFrame(at offset: Int64) {
    let start = Int(offset - windowStart)
    let header = window.withUnsafeBytes {
      try? ProResFrameHeader(beginning: UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
    if let header, RecoveredFormat(header) == format { noteDamage(offset, 0) }
  }

  /// The frame that seemed to be the last one is not: its size is damaged.
  private mutating func noteFalseEnd() {
    guard let frame = findings.cutOff else { return }
    findings.cutOff = nil
    noteDamage(frame.offset, 0)
  }

  private mutating func noteDamage(_ offset: Int64, _ byteCount: Int64) {
    findings.damagedCount += 1
    findings.damaged.insert(offset, at: findings.damaged.firstIndex { $0 > offset } ?? findings.damaged.count)
    findings.damaged = Array(findings.damaged.prefix(Self.damagedPlaces))
    wastedBytes += byteCount
    if wastedBytes > Self.patience * max(source.byteCount, Int64(Self.blockBytes)) { findings.givenUpAt = offset }
  }
}
