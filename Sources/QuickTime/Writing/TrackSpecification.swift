package import Foundation

/// What a track to be written says about itself, beside its samples.
package struct TrackSpecification: Sendable {
  package var handler: FourCC
  package var handlerName: String
  /// Units a second of the samples' times; positive.
  package var timescale: Int32
  /// At least one; samples name theirs by its index.
  package var sampleDescriptions: [SampleDescription]
  /// The size of the picture in pixels before the matrix.
  package var width: Double = 0
  package var height: Double = 0
  package var matrix = MovieMatrix.identity
  package var languageCode = LanguageCode.undetermined
  package var isEnabled = true
  package var layer: Int16 = 0
  package var alternateGroup: Int16 = 0
  /// 1 for sound, 0 for everything else.
  package var volume: Double
  package var creationDate: Date?
  /// Track ids as the writer gives them: 1 for the first track added.
  package var references: [TrackReferenceAtom.Reference] = []
  /// In the movie's and the media's time scale; without any, the whole media is shown from the start.
  package var edits: [Edit] = []
  package var metadata: [MovieMetadataItem] = []
  /// Nil for the one that suits the handler.
  package var informationHeader: StoredAtom?
  /// Atoms of the track, such as `tapt`, written as they are.
  package var otherAtoms: [StoredAtom] = []
  /// Tables of the samples, such as `sgpd` and `sbgp`, written as they are: they must suit the samples.
  package var otherSampleAtoms: [StoredAtom] = []

  package init(handler: FourCC, timescale: Int32, sampleDescriptions: [SampleDescription]) {
    self.handler = handler
    self.timescale = timescale
    self.sampleDescriptions = sampleDescriptions
    handlerName = Self.name(of: handler)
    volume = handler == "soun" ? 1 : 0
  }

  /// Everything that a track says about itself, but its references and edits, which belong to its movie, and its groups of samples.
  package init(copying track: MovieTrack) {
    self.init(handler: track.handler, timescale: track.timescale, sampleDescriptions: track.sampleDescriptions)
    handlerName = track.handlerName
    width = track.width
    height = track.height
    matrix = track.matrix
    languageCode = track.languageCode
    isEnabled = track.isEnabled
    layer = track.header.layer
    alternateGroup = track.header.alternateGroup
    volume = Double(track.header.volume) / 256
    creationDate = track.header.creationDate
    metadata = track.metadata
    informationHeader = track.informationHeader
    otherAtoms = track.otherAtoms
  }

  private static func name(of handler: FourCC) -> String {
    switch handler {
    case "vide": "Core Media Video"
    case "auxv": "Core Media Auxiliary Picture"
    case "soun": "Core Media Audio"
    case "meta": "Core Media Metadata"
    case "tmcd": "Core Media Time Code"
    default: "Core Media"
    }
  }
}

/// When and how a sample that is appended is shown.
package struct TimedSample: Hashable, Sendable {
  /// Of one sample, in units of the track's time scale, in decoding order.
  package var duration: Int64
  /// How much later than its decode time it is shown, in the same units; may be negative.
  package var compositionOffset: Int64
  package var isSync: Bool
  /// An index into the track's sample descriptions.
  package var descriptionIndex: Int
  package var dependency: SampleDependency?
  /// How many samples the data holds, all of the same size and all with these values: one sample of a picture, many of uncompressed
  /// sound.
  package var count: Int

  package init(
    duration: Int64, compositionOffset: Int64 = 0, isSync: Bool = true, descriptionIndex: Int = 0,
    dependency: SampleDependency? = nil, count: Int = 1
  ) {
    self.count = count
    self.duration = duration
    self.compositionOffset = compositionOffset
    self.isSync = isSync
    self.descriptionIndex = descriptionIndex
    self.dependency = dependency
  }
}
