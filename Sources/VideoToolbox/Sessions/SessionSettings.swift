internal import CoreMedia
internal import CoreVideo
internal import ProRes

/// What properties a session has that can be written.
struct SessionSettings: Sendable {
  enum Fields: String, CaseIterable {
    case both = "BothFields"
    case topOnly = "TopFieldOnly"
    case bottomOnly = "BottomFieldOnly"
    case single = "SingleField"
    case deinterlaced = "DeinterlaceFields"

    var isHalf: Bool { self != .both && self != .deinterlaced }
  }

  enum Frames: String, CaseIterable {
    case all = "AllFrames"
    case nonDroppable = "NonDroppableFrames"
    case intra = "IFrames"
    case key = "KeyFrames"
  }

  /// The most threads that can be asked for.
  static let mostThreads = 256

  var isRealTime = true
  var threads = 0
  var fields = Fields.both
  var reducedSize: CMVideoDimensions?
  /// The share of frames that are put out.
  var delivery: Double?
  var frames = Frames.all
  var minimumCount = 0
  var transfer = TransferSettings()
  var concealsWithPrevious = false
  /// Counts the changes that ask for another decoder.
  var generation = 0

  /// The least size of which neither side is smaller than asked for.
  func scale(_ size: CMVideoDimensions) -> ProResScale {
    guard let reducedSize else { return .full }
    return ProResScale.allCases.sorted { $0.rawValue > $1.rawValue }.first { scale in
      let part = Self.part(size, scale)
      return part.width >= reducedSize.width && part.height >= reducedSize.height
    } ?? .full
  }

  static func part(_ size: CMVideoDimensions, _ scale: ProResScale) -> CMVideoDimensions {
    let side = Int32(scale.rawValue)
    return CMVideoDimensions(width: (size.width + side - 1) / side, height: (size.height + side - 1) / side)
  }

  /// Whether a frame is left out before it is decoded, by what its sample says of dependencies.
  func leavesOut(_ sample: CMSampleBuffer) -> Bool {
    guard frames != .all else { return false }
    let marks = sample.sampleAttachments.first
    let isSync = !(boolean(marks?[.notSync]) ?? false)
    return switch frames {
    case .all: false
    case .nonDroppable: boolean(marks?[.isDependedOnByOthers]) == false
    case .intra: boolean(marks?[.dependsOnOthers]) ?? !isSync
    case .key: !isSync
    }
  }
}
