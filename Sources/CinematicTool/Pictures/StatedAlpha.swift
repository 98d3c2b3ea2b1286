import AVFoundation
import Compositing
import Foundation
import QuickTime

/// How a movie's colours are stored beside their alpha, and who says so.
struct StatedAlpha: Sendable {
  let mode: AlphaMode
  let source: String

  /// Nothing is known but what decoders give.
  static let silent = StatedAlpha(mode: .straight, source: "nothing says otherwise")

  /// By QuickTime's graphics modes: straight alpha, on white, on black, straight with blending.
  init(_ track: AVAssetTrack) {
    let source = "the track's graphics mode says so"
    switch track.movieTrack.graphicsMode {
    case 257: self.init(mode: .premultipliedWhite, source: source)
    case 258: self.init(mode: .premultiplied, source: source)
    case 256, 260: self.init(mode: .straight, source: source)
    default: self = .silent
    }
  }

  init(mode: AlphaMode, source: String) { (self.mode, self.source) = (mode, source) }

  var name: String { OverOptions.alphaModes.first { $0.value == mode }?.key ?? "premultiplied" }
}

extension MovieTrack {
  /// The third field of `vmhd`: how the picture is drawn over others.
  fileprivate var graphicsMode: Int? {
    guard let header = informationHeader, header.type == "vmhd", header.payload.count >= 6 else { return nil }
    let bytes = [UInt8](header.payload.prefix(6))
    return Int(bytes[4]) << 8 | Int(bytes[5])
  }
}
