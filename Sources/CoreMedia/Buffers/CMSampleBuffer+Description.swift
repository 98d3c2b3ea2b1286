internal import CoreVideo

extension CMSampleBuffer: CustomStringConvertible {
  /// Such as `<CMSampleBuffer 1 sample at 0.040 s, 98304 bytes>`.
  public var description: String {
    let samples = numSamples == 1 ? "1 sample" : "\(numSamples) samples"
    let time = presentationTimeStamp.isNumeric ? " at \(presentationTimeStamp.seconds) s" : ""
    let content = imageBuffer.map { ", \($0)" } ?? dataBuffer.map { ", \($0.dataLength) bytes" } ?? ""
    return "<CMSampleBuffer \(samples)\(time)\(content)>"
  }
}
