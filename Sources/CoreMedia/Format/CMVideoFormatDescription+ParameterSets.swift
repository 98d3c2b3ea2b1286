public import CoreVideo
internal import Foundation

/// One parameter set of an H.264 description, how many there are, and the bytes of a unit's length. Any result may be
/// left out.
///
/// The address stays valid as long as the format description. -12710 where there is no such set, -12718 where the
/// description has no `avcC`.
@discardableResult
public func CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
  _ videoDesc: CMFormatDescription, parameterSetIndex: Int,
  parameterSetPointerOut: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  parameterSetSizeOut: UnsafeMutablePointer<Int>?, parameterSetCountOut: UnsafeMutablePointer<Int>?,
  nalUnitHeaderLengthOut: UnsafeMutablePointer<Int32>?
) -> OSStatus {
  parameterSet(
    videoDesc, "avcC", parameterSetIndex, parameterSetPointerOut, parameterSetSizeOut, parameterSetCountOut,
    nalUnitHeaderLengthOut)
}

/// One parameter set of an HEVC description, as `CMVideoFormatDescriptionGetH264ParameterSetAtIndex`; of `hvcC`.
@discardableResult
public func CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(
  _ videoDesc: CMFormatDescription, parameterSetIndex: Int,
  parameterSetPointerOut: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  parameterSetSizeOut: UnsafeMutablePointer<Int>?, parameterSetCountOut: UnsafeMutablePointer<Int>?,
  nalUnitHeaderLengthOut: UnsafeMutablePointer<Int32>?
) -> OSStatus {
  parameterSet(
    videoDesc, "hvcC", parameterSetIndex, parameterSetPointerOut, parameterSetSizeOut, parameterSetCountOut,
    nalUnitHeaderLengthOut)
}

private func parameterSet(
  _ description: CMFormatDescription, _ atom: String, _ index: Int,
  _ pointer: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  _ size: UnsafeMutablePointer<Int>?, _ count: UnsafeMutablePointer<Int>?, _ lengthSize: UnsafeMutablePointer<Int32>?
) -> OSStatus {
  guard description.configurationAtom(atom) != nil, let sets = description.parameterSetStorage else {
    return kCMFormatDescriptionError_ValueNotAvailable
  }
  count?.pointee = sets.count
  lengthSize?.pointee = Int32(sets.lengthSize)
  guard pointer != nil || size != nil else { return noErr }
  guard (0..<sets.count).contains(index) else { return kCMFormatDescriptionError_InvalidParameter }
  pointer?.pointee = sets[index].baseAddress?.assumingMemoryBound(to: UInt8.self)
  size?.pointee = sets[index].count
  return noErr
}

/// Makes an H.264 description from parameter sets without start codes: its `avcC` and the size of the picture.
///
/// -12710 where a sequence or a picture parameter set is missing or cannot be read, or a unit's length has not 1, 2 or
/// 4 bytes. Colour is not read from them: decoders do that.
@discardableResult
public func CMVideoFormatDescriptionCreateFromH264ParameterSets(
  allocator: CFAllocator?, parameterSetCount: Int, parameterSetPointers: UnsafePointer<UnsafePointer<UInt8>>,
  parameterSetSizes: UnsafePointer<Int>, nalUnitHeaderLength: Int32,
  formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus {
  guard let sets = parameterSets(parameterSetPointers, parameterSetSizes, parameterSetCount),
    let description = try? CMFormatDescription(h264ParameterSets: sets, nalUnitHeaderLength: Int(nalUnitHeaderLength))
  else { return kCMFormatDescriptionError_InvalidParameter }
  formatDescriptionOut.pointee = description
  return noErr
}

/// Makes an HEVC description from video, sequence and picture parameter sets without start codes: its `hvcC` and the
/// size of the picture; `extensions` beside them. -12710 as for H.264.
@discardableResult
public func CMVideoFormatDescriptionCreateFromHEVCParameterSets(
  allocator: CFAllocator?, parameterSetCount: Int, parameterSetPointers: UnsafePointer<UnsafePointer<UInt8>>,
  parameterSetSizes: UnsafePointer<Int>, nalUnitHeaderLength: Int32, extensions: CFDictionary?,
  formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus {
  guard let sets = parameterSets(parameterSetPointers, parameterSetSizes, parameterSetCount),
    let description = try? CMFormatDescription(
      hevcParameterSets: sets, nalUnitHeaderLength: Int(nalUnitHeaderLength), dictionary: extensions)
  else { return kCMFormatDescriptionError_InvalidParameter }
  formatDescriptionOut.pointee = description
  return noErr
}

private func parameterSets(
  _ pointers: UnsafePointer<UnsafePointer<UInt8>>, _ sizes: UnsafePointer<Int>, _ count: Int
) -> [Data]? {
  guard count > 0, (0..<count).allSatisfy({ sizes[$0] > 0 }) else { return nil }
  return (0..<count).map { Data(bytes: pointers[$0], count: sizes[$0]) }
}

extension CMFormatDescription {
  /// An H.264 description, see `CMVideoFormatDescriptionCreateFromH264ParameterSets`.
  public convenience init(h264ParameterSets: [Data], nalUnitHeaderLength: Int = 4) throws {
    guard [1, 2, 4].contains(nalUnitHeaderLength),
      let (record, picture) = ConfigurationRecord.avcC(
        h264ParameterSets.map { Array($0) }, lengthSize: nalUnitHeaderLength)
    else { throw Error.invalidParameter }
    self.init(codec: kCMVideoCodecType_H264, picture, atom: "avcC", record, extensions: [:])
  }

  /// An HEVC description, see `CMVideoFormatDescriptionCreateFromHEVCParameterSets`.
  public convenience init(hevcParameterSets: [Data], nalUnitHeaderLength: Int = 4, extensions: Extensions? = nil) throws
  {
    try self.init(
      hevcParameterSets: hevcParameterSets, nalUnitHeaderLength: nalUnitHeaderLength, dictionary: extensions?.dictionary
    )
  }

  fileprivate convenience init(hevcParameterSets: [Data], nalUnitHeaderLength: Int, dictionary: [String: Any]?) throws {
    guard [1, 2, 4].contains(nalUnitHeaderLength),
      let (record, picture) = ConfigurationRecord.hvcC(
        hevcParameterSets.map { Array($0) }, lengthSize: nalUnitHeaderLength)
    else { throw Error.invalidParameter }
    self.init(codec: kCMVideoCodecType_HEVC, picture, atom: "hvcC", record, extensions: dictionary ?? [:])
  }

  private convenience init(
    codec: CMVideoCodecType, _ picture: SequenceParameterSet, atom: String, _ record: Data, extensions: [String: Any]
  ) {
    let key = kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms
    var extensions = extensions
    var atoms = extensions[key] as? [String: Any] ?? [:]
    atoms[atom] = record
    extensions[key] = atoms
    let size = CMVideoDimensions(width: Int32(picture.width), height: Int32(picture.height))
    self.init(type: kCMMediaType_Video, subType: codec, extensions: extensions, detail: .video(size))
  }

  /// The payload of a codec-configuration atom among the extensions.
  package func configurationAtom(_ name: String) -> Data? { extensionDictionary.configurationAtom(name) }

  /// The parameter sets of an H.264 or HEVC description, without start codes or lengths; none for other formats.
  public struct ParameterSetCollection: RandomAccessCollection, Sendable {
    let sets: [Data]
    public var startIndex: Int { 0 }
    public var endIndex: Int { sets.count }
    public subscript(position: Int) -> Data { sets[position] }
  }

  public var parameterSets: ParameterSetCollection {
    ParameterSetCollection(sets: parameterSetStorage.map { sets in (0..<sets.count).map { Data(sets[$0]) } } ?? [])
  }

  /// How many bytes the length in front of each unit of a sample has; nil for other formats.
  public var nalUnitHeaderLength: Int? { parameterSetStorage?.lengthSize }
}
