package import CoreGeometry

/// A track of a movie. Immutable; safe to use from any thread.
package final class MovieTrack: Sendable {
  /// Counts from 1, in the order of the file.
  package let number: Int
  /// The id that references use; unique in a sound file.
  package let id: UInt32
  /// `vide`, `auxv`, `soun`, `meta`, `tmcd`…
  package let handler: FourCC
  package let handlerName: String
  package let isEnabled: Bool
  /// The track header as stored: flags, dates, layer, alternate group, volume.
  package let header: TrackHeaderAtom
  /// Units a second of the samples' times.
  package let timescale: Int32
  /// In units of `timescale`, as the media header says, or the sum of the samples' durations where it says nothing.
  package let mediaDuration: Int64
  /// In units of the movie's time scale: as the track header says, or what edits or media give where it says nothing.
  package let duration: Int64
  /// Three letters of ISO 639-2; nil where the file does not say or uses a Macintosh language.
  package let language: String?
  /// The packed language as stored.
  package let languageCode: UInt16
  /// Empty where the file has no edit list.
  package let edits: [Edit]
  package let trackReferences: [TrackReferenceAtom.Reference]
  package let sampleDescriptions: [SampleDescription]
  package let samples: SampleTable
  /// When the samples are shown.
  package let timeline: EditTimeline
  package let compositionShift: CompositionShiftAtom?
  package let metadata: [MovieMetadataItem]
  /// `vmhd`, `smhd`, `gmhd`…, as stored.
  package let informationHeader: StoredAtom?
  /// Apertures (`tapt`) and other atoms of the track that are not understood, as stored.
  package let otherAtoms: [StoredAtom]
  /// Sample groups (`sgpd`, `sbgp`, `csgm`) and other tables that are not understood, as stored.
  package let otherSampleAtoms: [StoredAtom]
  /// What the file says, beside its sync samples, about where decoding can start.
  package let decodingStarts: DecodingStarts
  /// Whether all samples lie in this very file.
  package let isSelfContained: Bool

  init(_ atoms: TrackAtoms, number: Int, samples: SampleTable, isFragmented: Bool, movieTimescale: Int32) {
    self.number = number
    self.samples = samples
    header = atoms.header
    id = atoms.header.trackID
    isEnabled = atoms.header.isEnabled
    handler = atoms.handler.handler
    handlerName = atoms.handler.name
    timescale = atoms.mediaHeader.timescale
    languageCode = atoms.mediaHeader.language
    language = LanguageCode.text(atoms.mediaHeader.language)
    edits = atoms.edits
    timeline = EditTimeline(
      edits: atoms.edits, movieTimescale: movieTimescale, mediaTimescale: atoms.mediaHeader.timescale, samples: samples)
    trackReferences = atoms.references
    sampleDescriptions = atoms.tables.descriptions
    compositionShift = atoms.tables.compositionShift
    metadata = atoms.metadata
    informationHeader = atoms.informationHeader
    otherAtoms = atoms.others
    otherSampleAtoms = atoms.tables.others
    decodingStarts = DecodingStarts(atoms.tables.others)
    isSelfContained = atoms.tables.descriptions.allSatisfy { atoms.dataReferences.isHere($0.dataReferenceIndex) }
    let stated = atoms.mediaHeader.duration.flatMap { isFragmented && $0 == 0 ? nil : $0 }
    mediaDuration = stated ?? samples.totalDuration
    duration = Self.duration(atoms, mediaDuration, isFragmented, movieTimescale)
  }

  private static func duration(
    _ atoms: TrackAtoms, _ mediaDuration: Int64, _ isFragmented: Bool, _ movieTimescale: Int32
  ) -> Int64 {
    if let stated = atoms.header.duration, !(isFragmented && stated == 0) { return stated }
    let edited = atoms.edits.reduce(Int64(0)) { min($0 + $1.segmentDuration, ReadingLimit.time) }
    if edited > 0 { return edited }
    return RationalTime(mediaDuration, atoms.mediaHeader.timescale).rounded(toScale: movieTimescale)
  }

  /// The size of the picture in pixels before the matrix; 0 for other tracks.
  package var width: Double { header.width }
  package var height: Double { header.height }
  package var matrix: MovieMatrix { header.matrix }
  /// From the stored picture to the shown one, in pixels, y downwards.
  package var transform: CGAffineTransform { header.matrix.transform }
  /// The ids of the tracks referred to, by type of reference.
  package var references: [FourCC: [UInt32]] {
    Dictionary(trackReferences.map { ($0.type, $0.trackIDs) }, uniquingKeysWith: +)
  }

  /// The description of a sample of this track.
  package func description(of sample: Sample) -> SampleDescription { sampleDescriptions[sample.descriptionIndex] }
}
