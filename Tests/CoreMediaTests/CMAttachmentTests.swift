import CoreMedia
import CoreVideo
import Testing

@Suite struct CMAttachmentTests {
  private func bearers() throws -> [CMAttachmentBearer] {
    let marker = try CMSampleBuffer(
      dataBuffer: nil, formatDescription: nil, numSamples: 0, sampleTimings: [], sampleSizes: [])
    return [marker, try CMBlockBuffer(), try CVBuffer.make(width: 2, height: 2, format: kCVPixelFormatType_32BGRA)]
  }

  @Test func attachmentsAreSetReadAndRemoved() throws {
    for bearer in try bearers() {
      CMSetAttachment(bearer, key: "a", value: 1, attachmentMode: kCMAttachmentMode_ShouldPropagate)
      CMSetAttachment(bearer, key: "b", value: "two", attachmentMode: kCMAttachmentMode_ShouldNotPropagate)
      var mode = CMAttachmentMode.max
      #expect(CMGetAttachment(bearer, key: "a", attachmentModeOut: &mode) as? Int == 1 && mode == 1)
      #expect(CMGetAttachment(bearer, key: "b", attachmentModeOut: &mode) as? String == "two" && mode == 0)
      #expect(CMGetAttachment(bearer, key: "c", attachmentModeOut: nil) == nil)
      let all = CMCopyDictionaryOfAttachments(
        allocator: nil, target: bearer, attachmentMode: kCMAttachmentMode_ShouldPropagate)
      #expect(all?.count == 1 && all?["a"] as? Int == 1)
      CMSetAttachment(bearer, key: "a", value: nil, attachmentMode: kCMAttachmentMode_ShouldPropagate)
      #expect(CMGetAttachment(bearer, key: "a", attachmentModeOut: nil) == nil)
      CMRemoveAllAttachments(bearer)
      #expect(CMGetAttachment(bearer, key: "b", attachmentModeOut: nil) == nil)
    }
  }

  @Test func onlySomePropagate() throws {
    for source in try bearers() {
      for destination in try bearers() {
        CMSetAttachments(source, attachments: ["a": 1, "b": 2], attachmentMode: kCMAttachmentMode_ShouldPropagate)
        CMSetAttachment(source, key: "c", value: 3, attachmentMode: kCMAttachmentMode_ShouldNotPropagate)
        source.propagateAttachments(to: destination)
        #expect(
          destination.attachments.propagated.keys.sorted() == ["a", "b"]
            && destination.attachments.nonPropagated.isEmpty)
      }
    }
  }

  @Test func attachmentsBySubscript() throws {
    for bearer in try bearers() {
      bearer.attachments["a"] = .shouldPropagate(5)
      #expect(bearer.attachments["a"]?.value as? Int == 5 && bearer.attachments["a"]?.mode == .shouldPropagate)
      bearer.attachments.merge(["b": 1], mode: .shouldNotPropagate)
      #expect(bearer.attachments["b"]?.mode == .shouldNotPropagate)
      bearer.attachments["a"] = nil
      #expect(bearer.attachments["a"] == nil)
    }
  }

  @Test func sampleAttachments() throws {
    let buffer = try buffer([timing(0)], sizes: [1], count: 3)
    #expect(CMSampleBufferGetSampleAttachmentsArray(buffer, createIfNecessary: false) == nil)
    #expect(CMSampleBufferGetSampleAttachmentsArray(buffer, createIfNecessary: true)?.count == 3)
    buffer.sampleAttachments[1][.notSync] = true
    let dictionaries = CMSampleBufferGetSampleAttachmentsArray(buffer, createIfNecessary: false) as? [[CFString: Any]]
    #expect(dictionaries?.map { $0[kCMSampleAttachmentKey_NotSync] as? Bool } == [nil, true, nil])
    #expect((0..<3).map(buffer.isSync(at:)) == [true, false, true])
    buffer.sampleAttachments[1][.notSync] = nil
    #expect(buffer.isSync(at: 1) && buffer.sampleAttachments[1].isEmpty)
  }
}
