internal import Foundation
internal import QuickTime

extension AVAsset {
  /// All tracks; empty if the movie cannot be read.
  public var tracks: [AVAssetTrack] { (try? openedTracks()) ?? [] }
  /// The duration of the longest track; zero if the movie cannot be read.
  public var duration: CMTime { (try? openedDuration()) ?? .zero }
  /// All items of metadata of the movie.
  public var metadata: [AVMetadataItem] { (try? openedMetadata()) ?? [] }
  /// Those items that mean the same in every format, under their common keys.
  public var commonMetadata: [AVMetadataItem] { metadata.compactMap { $0.asCommonItem() } }
  /// The formats in which the movie holds metadata.
  public var availableMetadataFormats: [AVMetadataFormat] { Self.formats(of: metadata) }

  /// The items of metadata of one format.
  public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
    metadata.filter { $0.keySpace.flatMap(AVMetadataFormat.init(keySpace:)) == format }
  }

  /// The items of metadata of one format. Throws `AVError` if the movie cannot be read.
  public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
    try await load(.metadata).filter { $0.keySpace.flatMap(AVMetadataFormat.init(keySpace:)) == format }
  }

  /// When the movie was made, if its metadata says so.
  public var creationDate: AVMetadataItem? { Self.creationDate(in: metadata) }
  public var preferredTransform: CGAffineTransform { (try? openedMovie().matrix.transform) ?? .identity }
  /// The rate at which the movie is meant to be played; 1 is normal.
  public var preferredRate: Float { 1 }
  /// Whether a reader can read it.
  public var isReadable: Bool { (try? openedMovie()) != nil }

  public func track(withTrackID trackID: CMPersistentTrackID) -> AVAssetTrack? {
    tracks.first { $0.trackID == trackID }
  }

  public func tracks(withMediaType mediaType: AVMediaType) -> [AVAssetTrack] {
    tracks.filter { $0.mediaType == mediaType }
  }

  public func tracks(withMediaCharacteristic characteristic: AVMediaCharacteristic) -> [AVAssetTrack] {
    tracks.filter { $0.hasMediaCharacteristic(characteristic) }
  }

  /// The track of an id, or nil. Throws `AVError` if the movie cannot be read.
  public func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVAssetTrack? {
    try await load(.tracks).first { $0.trackID == trackID }
  }

  /// The tracks of a media type in the order of the file. Throws `AVError` if the movie cannot be read.
  public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
    try await load(.tracks).filter { $0.mediaType == mediaType }
  }

  /// The tracks with a characteristic in the order of the file. Throws `AVError` if the movie cannot be read.
  public func loadTracks(withMediaCharacteristic characteristic: AVMediaCharacteristic) async throws -> [AVAssetTrack] {
    try await load(.tracks).filter { $0.hasMediaCharacteristic(characteristic) }
  }

  func openedDuration() throws -> CMTime {
    let movie = try openedMovie()
    let stated = CMTime(value: movie.duration, timescale: movie.timescale)
    return try openedTracks().map(\.timeRange.end).max() ?? stated
  }

  func openedMetadata() throws -> [AVMetadataItem] { try openedMovie().metadata.map { AVMetadataItem(stored: $0) } }

  fileprivate static func formats(of metadata: [AVMetadataItem]) -> [AVMetadataFormat] {
    Set(metadata.compactMap { $0.keySpace.flatMap(AVMetadataFormat.init(keySpace:)) }).sorted {
      $0.rawValue < $1.rawValue
    }
  }

  fileprivate static func creationDate(in metadata: [AVMetadataItem]) -> AVMetadataItem? {
    metadata.lazy.compactMap { $0.asCommonItem() }.first { $0.commonKey == .commonKeyCreationDate }
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> {
    AVAsyncProperty("tracks") { try $0.openedTracks() }
  }
  public static var duration: AVAsyncProperty<Root, CMTime> {
    AVAsyncProperty("duration") { try $0.openedDuration() }
  }
  public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> {
    AVAsyncProperty("metadata") { try $0.openedMetadata() }
  }
  public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> {
    AVAsyncProperty("commonMetadata") { try $0.openedMetadata().compactMap { $0.asCommonItem() } }
  }
  public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
    AVAsyncProperty("availableMetadataFormats") { AVAsset.formats(of: try $0.openedMetadata()) }
  }
  public static var creationDate: AVAsyncProperty<Root, AVMetadataItem?> {
    AVAsyncProperty("creationDate") { AVAsset.creationDate(in: try $0.openedMetadata()) }
  }
  public static var preferredTransform: AVAsyncProperty<Root, CGAffineTransform> {
    AVAsyncProperty("preferredTransform") { try $0.openedMovie().matrix.transform }
  }
  public static var preferredRate: AVAsyncProperty<Root, Float> {
    AVAsyncProperty("preferredRate") { $0.preferredRate }
  }
  public static var isReadable: AVAsyncProperty<Root, Bool> {
    AVAsyncProperty("isReadable") {
      _ = try $0.openedMovie(); return true
    }
  }
  public static var isPlayable: AVAsyncProperty<Root, Bool> {
    AVAsyncProperty("isPlayable") { try $0.openedTracks().contains { $0.isDecodable } }
  }
  public static var hasProtectedContent: AVAsyncProperty<Root, Bool> {
    AVAsyncProperty("hasProtectedContent") {
      _ = try $0.openedMovie(); return false
    }
  }
}
