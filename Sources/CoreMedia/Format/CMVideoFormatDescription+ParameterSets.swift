public import CoreVideo
internal import Foundation

/// One parameter set of an H.264 description, how many there are, and the bytes of a unit's length. Any result may be
/// left out.
///
/// The address stays valid as long as the format description. -12710 where there is no such set, -12718 where the
/// description has no `avcC`.
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

extension CMFormatDescription {
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
