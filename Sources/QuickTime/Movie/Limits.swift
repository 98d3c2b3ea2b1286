/// The named limits of reading. Everything else that a file asks for is bounded by the bytes that are left.
package enum ReadingLimit {
  /// The most bytes of a `moov` atom: 128 times an hour's four tracks.
  package static let movieAtomBytes: Int64 = 1 << 30
  /// The most bytes of one `moof` atom.
  package static let fragmentAtomBytes: Int64 = 1 << 24
  /// The most samples of all fragments of a movie; nor are there more than the file has bytes.
  package static let fragmentSamples: Int64 = 1 << 26
  /// The most bytes of one sample: an uncompressed 8K picture of 16 bytes a pixel fits.
  package static let sampleBytes = 1 << 29
  /// The most atoms at the top level of a file.
  package static let topLevelAtoms = 1 << 20
  /// The most items of one `ilst` or `udta`.
  package static let metadataItems = 1 << 16
  /// The most edits of a track.
  package static let edits = 1 << 18
  /// The most groups of samples of one way of grouping.
  package static let sampleGroups = 1 << 16
  /// The most tracks of a movie.
  package static let tracks = 4096
  /// The largest time or duration in any time scale; sums and differences of two stay exact in 64 bits.
  package static let time: Int64 = 1 << 60
}
