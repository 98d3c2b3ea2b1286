import Cinematic
import CoreVideo
import Foundation
import QuickTime
import Testing

@Suite struct FocusProposalTests {
  private static let width = 80
  private static let height = 60

  /// A far wall with one near thing in a rectangle given in pixels.
  private func picture(_ x: Range<Int>, _ y: Range<Int>, near: Float, far: Float = 0.2) throws -> CVPixelBuffer {
    let buffer = try CVBuffer.make(
      width: Self.width, height: Self.height, format: kCVPixelFormatType_DisparityFloat32)
    buffer.withPlane(0, readOnly: false) { base, pitch, width, height in
      for row in 0..<height {
        for column in 0..<width {
          let value = x.contains(column) && y.contains(row) ? near : far
          (base + row * pitch).storeBytes(of: value, toByteOffset: column * 4, as: Float.self)
        }
      }
    }
    return buffer
  }

  private func proposal(_ disparities: [Float]) throws -> FocusProposal {
    var proposal = FocusProposal()
    for disparity in disparities { proposal.observe(try picture(24..<56, 16..<44, near: disparity)) }
    return proposal
  }

  @Test func `one thing is one subject, in focus from the start`() throws {
    let proposal = try proposal(Array(repeating: 1.5, count: 30))
    let subjects = proposal.subjects()
    #expect(proposal.frameCount == 30 && subjects.count == 1)
    #expect(subjects[0].id == 1 && subjects[0].frames == 0..<30 && subjects[0].decision == 0)
    for frame in [0, 15, 29] {
      let detection = proposal.detection(frame: frame, of: subjects[0])
      // A code is 0.3 % of disparity + 1; the rectangle is one of cells of two pixels.
      #expect(abs(detection.focusDisparity - 1.5) < 0.01)
      #expect(detection.trackID == 1 && detection.type == UInt32(CNDetectionType.autoFocus.rawValue))
      let found = [detection.x, detection.y, detection.width, detection.height]
      for (found, wanted) in zip(found, [0.3, 16.0 / 60, 0.4, 28.0 / 60] as [Float]) {
        #expect(abs(found - wanted) <= 2.0 / 60)
      }
    }
  }

  @Test(arguments: [0.6, 4.0] as [Float])
  func `a step to another depth that lasts is another subject`(then: Float) throws {
    let subjects = try proposal(Array(repeating: 1.5, count: 40) + Array(repeating: then, count: 40)).subjects()
    #expect(subjects.map(\.frames) == [0..<40, 40..<80] && subjects.map(\.id) == [1, 2])
    #expect(subjects[0].decision == 0 && (40..<60).contains(subjects[1].decision))
  }

  @Test func `what lasts shorter than eight frames is not followed`() throws {
    let flicker =
      Array(repeating: Float(1.5), count: 20) + Array(repeating: 4, count: 7) + Array(repeating: 1.5, count: 20)
    #expect(try proposal(flicker).subjects().map(\.frames) == [0..<47])
    let lasting = Array(repeating: Float(1.5), count: 20) + Array(repeating: 4, count: 8)
    #expect(try proposal(lasting).subjects().map(\.frames) == [0..<20, 20..<28])
  }

  @Test func `a slow walk is one subject`() throws {
    let proposal = try proposal((0..<120).map { 1 + Float($0) / 60 })
    let subjects = proposal.subjects()
    #expect(subjects.map(\.frames) == [0..<120])
    for frame in [0, 60, 119] {
      #expect(abs(proposal.detection(frame: frame, of: subjects[0]).focusDisparity - (1 + Float(frame) / 60)) < 0.02)
    }
  }

  @Test func `half and single precision, holes and tiny pictures are taken`() throws {
    var proposal = FocusProposal()
    for format in [kCVPixelFormatType_DisparityFloat16, kCVPixelFormatType_DisparityFloat32] {
      let buffer = try CVBuffer.make(width: 3, height: 2, format: format)
      buffer.withPlane(0, readOnly: false) { base, pitch, _, height in
        for row in 0..<height {
          memset(base + row * pitch, row == 0 ? 0xFF : 0, 3 * (format == kCVPixelFormatType_DisparityFloat16 ? 2 : 4))
        }
      }
      proposal.observe(buffer)
    }
    let subjects = proposal.subjects()
    #expect(subjects.map(\.frames) == [0..<2])
    let detection = proposal.detection(frame: 1, of: subjects[0])
    #expect(detection.focusDisparity.isFinite && detection.width > 0 && detection.x + detection.width <= 1)
  }

  @Test func `no frames are no subjects`() {
    #expect(FocusProposal().subjects().isEmpty)
  }
}
