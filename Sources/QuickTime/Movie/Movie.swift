package import Foundation

/// A QuickTime or MP4 movie that is read in place: its index is in memory, its samples stay in the file.
///
/// Immutable; safe to use from any thread.
package final class Movie: Sendable {
  package let source: any ByteSource
  /// `qt  `, `isom`…; nil in old files without `ftyp`.
  package let brand: FourCC?
  package let compatibleBrands: [FourCC]
  /// The movie header as stored.
  package let header: MovieHeaderAtom
  /// In units of `timescale`: as the movie header says, or the longest track where it says nothing.
  package let duration: Int64
  package let tracks: [MovieTrack]
  /// Items of the movie's `meta` and user data, in the order of the file.
  package let metadata: [MovieMetadataItem]
  /// What is missing or odd, in the order in which it was met.
  package let warnings: [MovieWarning]
  /// The atoms at the top level of the file.
  package let layout: FileLayout
  /// Whether samples are described in `moof` atoms.
  package let isFragmented: Bool

  init(
    _ source: any ByteSource, layout: FileLayout, fileType: FileTypeAtom?, atoms: MovieAtoms, tracks: [MovieTrack],
    warnings: [MovieWarning]
  ) {
    self.source = source
    self.layout = layout
    self.tracks = tracks
    self.warnings = warnings
    brand = fileType?.brand
    compatibleBrands = fileType?.compatibleBrands ?? []
    header = atoms.header
    metadata = atoms.metadata
    isFragmented = atoms.isFragmented
    let stated = atoms.header.duration.flatMap { atoms.isFragmented && $0 == 0 ? nil : $0 }
    duration = stated ?? tracks.map(\.duration).max() ?? 0
  }

  /// Units a second of the durations of the movie, its tracks and their edits.
  package var timescale: Int32 { header.timescale }
  package var creationDate: Date? { header.creationDate }
  package var matrix: MovieMatrix { header.matrix }
  package var boxes: [TopLevelAtom] { layout.atoms }

  /// The track with the id that references use.
  package func track(id: UInt32) -> MovieTrack? { tracks.first { $0.id == id } }

  /// The bytes of a sample. Throws `.truncated` where the file was cut off before it.
  package func data(of sample: Sample, in track: MovieTrack) throws(QuickTimeError) -> Data {
    try check(sample, in: track)
    return try source.read(at: sample.offset, count: sample.size)
  }

  /// Throws where the bytes of a sample cannot be had: they lie in another file or behind the end, or are too many.
  package func check(_ sample: Sample, in track: MovieTrack) throws(QuickTimeError) {
    let place = "Sample \(sample.index + 1) of track \(track.number) (\(sample.size) bytes from byte \(sample.offset))"
    guard track.isSelfContained else {
      throw QuickTimeError(
        .unsupported, "\(place) lies in another file, which is not looked for; save the movie as self-contained.")
    }
    guard sample.size <= ReadingLimit.sampleBytes else {
      throw QuickTimeError(
        .unsupported,
        "\(place) is larger than the limit of \(ReadingLimit.sampleBytes) bytes; the file may be damaged.",
        offset: sample.offset)
    }
    guard sample.offset <= source.byteCount - Int64(sample.size) else {
      throw QuickTimeError(
        .truncated, "\(place) is missing, the file ends at byte \(source.byteCount); copy the whole file again.",
        offset: sample.offset)
    }
  }
}
