import CoreMedia
import Foundation
import ProRes
import QuickTime

/// One recovery: survey → scan → write.
struct RecoverJob {
  private let source: FileSource
  private let request: RecoverRequest

  /// Frames that are looked at before the first is written, to tell what they are.
  private static let surveyedFrames = 48

  init(_ source: FileSource, _ request: RecoverRequest) {
    self.source = source
    self.request = request
  }

  func run(to url: URL, _ progress: ProgressReporter) throws -> RecoverReport {
    let survey = try surveyed(progress)
    guard let first = survey.frames.first else { throw nothingFound(survey.findings) }
    var report = RecoverReport(rate: rate(of: first.header))
    let writer = try MovieWriter(
      url: url, options: MovieWriter.Options(timescale: report.rate.rate.frameDuration.timescale))
    do {
      try write(survey, from: first.offset, to: writer, &report, progress)
      try writer.finish()
    } catch {
      writer.cancel()
      throw error
    }
    return report
  }

  // MARK: What the frames are

  private struct Survey {
    var frames: [(offset: Int64, header: ProResFrameHeader)] = []
    var findings = FrameScanner.Findings()
  }

  /// The first frames; the whole file has been searched where there are few.
  private func surveyed(_ progress: ProgressReporter) throws -> Survey {
    var survey = Survey()
    var scanner = FrameScanner(source)
    while survey.frames.count < Self.surveyedFrames, let frame = try scanner.next() {
      survey.frames.append((frame.offset, frame.header))
    }
    survey.findings = scanner.findings
    return survey
  }

  private func nothingFound(_ findings: FrameScanner.Findings) -> Failure {
    let name = source.url.path
    if findings.rawCount > 0 {
      return Failure(
        name: "unsupported", code: 5,
        message:
          "'\(name)' holds ProRes RAW, another bitstream than ProRes, which is not recovered here: use the camera maker's tools"
      )
    }
    let rest =
      findings.cutOff.map { "; the only one begins at byte \($0.offset) and is cut off" }
      ?? (findings.damagedCount > 0 ? "; \(findings.damagedCount) damaged ones were met" : "")
    return Failure(
      name: "unreadable", code: 2,
      message: "no whole ProRes frame is in '\(name)'\(rest): search another copy of the file")
  }

  private func rate(of header: ProResFrameHeader) -> RecoverReport.Rate {
    if let rate = request.rate { return .init(rate: rate, origin: .asked) }
    if let rate = FrameRate(code: header.frameRateCode) { return .init(rate: rate, origin: .frames) }
    return .init(rate: FrameRate(24)!, origin: .assumed)
  }

  // MARK: Writing

  private func write(
    _ survey: Survey, from start: Int64, to writer: MovieWriter, _ report: inout RecoverReport,
    _ progress: ProgressReporter
  ) throws {
    var formats = RecoveredFormats(survey.frames.map { GuessedProfile.Evidence($0.header) }, request.profile, writer)
    let duration = report.rate.rate.frameDuration
    var scanner = FrameScanner(source, from: start)
    while let frame = try scanner.next() {
      let index = try formats.index(of: frame.header, timescale: duration.timescale)
      try writer.append(
        track: 0, data: frame.data, TimedSample(duration: duration.value, descriptionIndex: index))
      report.frameCount += 1
      report.byteCount += Int64(frame.data.count)
      progress.update(Int(scanner.position / 1_000_000))
    }
    report.findings = scanner.findings
    report.formats = formats.found
    report.fileByteCount = source.byteCount
  }
}

/// The sample descriptions of the one track that is written, one for each kind of frame.
private struct RecoveredFormats {
  private(set) var found: [RecoverReport.Format] = []
  private var indices: [RecoveredFormat: Int] = [:]
  private let evidence: [GuessedProfile.Evidence]
  private let asked: ProResProfile?
  private let writer: MovieWriter

  /// The most kinds of frames in a movie.
  private static let limit = 1024

  init(_ evidence: [GuessedProfile.Evidence], _ asked: ProResProfile?, _ writer: MovieWriter) {
    self.evidence = evidence
    self.asked = asked
    self.writer = writer
  }

  /// The description of frames like this one; the first makes the track.
  mutating func index(of header: ProResFrameHeader, timescale: Int32) throws -> Int {
    let format = RecoveredFormat(header)
    if let index = indices[format] { return index }
    guard found.count < Self.limit else {
      throw Failure(
        name: "unsupported", code: 5,
        message: "the frames change their size or colour more than \(Self.limit) times: this is no recording")
    }
    let (profile, reason) = try profile(of: header)
    let description = format.description(as: profile)
    if found.isEmpty {
      var track = TrackSpecification(handler: "vide", timescale: timescale, sampleDescriptions: [description])
      (track.width, track.height) = (Double(format.width), Double(format.height))
      _ = writer.addTrack(track)
    } else {
      writer.updateTrack(0) { $0.sampleDescriptions.append(description) }
    }
    indices[format] = found.count
    found.append(.init(width: format.width, height: format.height, profile: profile, guess: reason))
    return found.count - 1
  }

  private func profile(of header: ProResFrameHeader) throws -> (ProResProfile, reason: String?) {
    guard let asked else {
      let alike = evidence.filter { $0.chroma == header.chroma }
      let guess = GuessedProfile(alike.isEmpty ? [GuessedProfile.Evidence(header)] : alike)
      return (guess.profile, guess.reason)
    }
    guard asked.chroma == header.chroma else {
      let (are, takes) = header.chroma == .full ? ("4:4:4", "4:2:2") : ("4:2:2", "4:4:4")
      throw Failure(
        name: "incompatible", code: 6,
        message:
          "the frames are \(are), and the profile '\(asked.rawValue)' is \(takes): leave '--profile' out, or name another"
      )
    }
    return (asked, nil)
  }
}
