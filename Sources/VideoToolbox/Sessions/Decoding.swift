internal import Codecs
internal import CoreMedia
internal import CoreVideo

/// A decoder and the frames inside it.
final class Decoding {
  let format: CMFormatDescription
  let decoder: any PictureDecoder
  private let isModifiable: Bool
  private let pools: SessionPools
  private let finishing: PictureFinishing
  /// Samples that the decoder has counted.
  private var handed = 0
  private var pending: [Int: FrameRequest] = [:]

  /// Errors that a decoder may still have to tell when it is finished.
  private static let mostErrors = 64

  init(
    format: CMFormatDescription, decoder: any PictureDecoder, size: CMVideoDimensions?, isModifiable: Bool,
    pools: SessionPools
  ) {
    self.format = format
    self.decoder = decoder
    self.isModifiable = isModifiable
    self.pools = pools
    finishing = PictureFinishing(size: size, pools)
  }

  func with(_ settings: SessionSettings) -> Decoding {
    finishing.fields = settings.fields
    finishing.settings = settings.transfer
    return self
  }

  /// Whether a frame that must not wait for later ones has no answer.
  var owesAnswers: Bool { pending.values.contains { !$0.mayBeHeld } }

  func decode(_ sample: CMSampleBuffer, _ request: FrameRequest, _ put: DecodingBench.Put) {
    guard let data = sample.dataBuffer, data.dataLength > 0 else {
      return put([request.answer(kVTVideoDecoderBadDataErr, [])])
    }
    if request.isHidden, decoder.isIntra { return put([request.answer(noErr, .frameDropped)]) }
    let number = handed
    handed += 1
    pending[number] = request
    do {
      let pictures = try decoder.decode(sample)
      if sample.isHidden { answer(number, noErr, .frameDropped, put) }
      self.put(pictures, put)
    } catch {
      fail(error, number, put)
    }
  }

  /// Puts out what the decoder holds back; frames that it has no picture of are dropped.
  func drain(_ put: DecodingBench.Put) {
    // Pictures may come in parts, with errors between them.
    for _ in 0..<pending.count + Self.mostErrors {
      do {
        let pictures = try decoder.finish()
        self.put(pictures, put)
        if pictures.isEmpty || pending.isEmpty { break }
      } catch {
        fail(error, nil, put)
      }
    }
    for number in pending.keys.sorted() { answer(number, noErr, .frameDropped, put) }
  }

  /// Gives up the frames inside the decoder.
  func abandon(_ status: OSStatus, _ flags: VTDecodeInfoFlags, _ put: DecodingBench.Put) {
    decoder.reset()
    for number in pending.keys.sorted() { answer(number, status, flags, put) }
  }

  private func put(_ pictures: [DecodedPicture], _ put: DecodingBench.Put) {
    pools.decoded.handedOn()
    for picture in pictures {
      guard let request = pending.removeValue(forKey: picture.sample) else { continue }
      guard !request.isHidden else {
        put([request.answer(noErr, .frameDropped)])
        continue
      }
      do {
        let image = try finishing.finish(picture.pixelBuffer)
        let isFree = isModifiable || image !== picture.pixelBuffer
        put([request.answer(noErr, isFree ? .imageBufferModifiable : [], image)])
      } catch {
        put([request.answer(frameStatus(of: error), [])])
      }
      pools.finished.handedOn()
    }
  }

  private func fail(_ error: any Error, _ number: Int?, _ put: DecodingBench.Put) {
    guard let culprit = (error as? CodecError)?.sample ?? number else { return }
    answer(culprit, frameStatus(of: error), [], put)
  }

  private func answer(_ number: Int, _ status: OSStatus, _ flags: VTDecodeInfoFlags, _ put: DecodingBench.Put) {
    guard let request = pending.removeValue(forKey: number) else { return }
    put([request.answer(status, flags)])
  }
}
