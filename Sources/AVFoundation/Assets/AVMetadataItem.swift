public import Foundation

/// One piece of metadata: a key, a value, and for timed metadata a time.
///
/// Values are `String`, `NSNumber`, `CGPoint`, `CGSize`, `CGRect` or `Data`, by the data type of the item.
open class AVMetadataItem: NSObject, AVAsynchronousKeyValueLoading, @unchecked Sendable {
  /// What an item holds, shared by the immutable and the mutable class.
  struct Content {
    var identifier: AVMetadataIdentifier?
    var dataType: String?
    var value: (any Sendable)?
    /// The payload as it lies in the file, for items that come from one.
    var storedBytes: Data?
    /// Country and language as they lie in the file, for items that come from one.
    var storedLocale: UInt32?
    var time = CMTime.invalid
    var duration = CMTime.invalid
    var startDate: Date?
    var extendedLanguageTag: String?
    var extraAttributes: [String: any Sendable] = [:]
  }

  final var content: Content

  init(_ content: Content) { self.content = content }

  public override convenience init() { self.init(Content()) }

  /// Key space and key in one string.
  open var identifier: AVMetadataIdentifier? { content.identifier }
  /// The type of the value, such as `kCMMetadataBaseDataType_UTF8`.
  open var dataType: String? { content.dataType }
  open var value: (any Sendable)? { content.value }
  /// When the item begins to apply; invalid for an item of a whole movie or track.
  open var time: CMTime { content.time }
  /// How long the item applies; invalid for an item of a whole movie or track.
  open var duration: CMTime { content.duration }
  open var startDate: Date? { content.startDate }
  /// The language of the value as a BCP 47 tag.
  open var extendedLanguageTag: String? { content.extendedLanguageTag }
  open var extraAttributes: [String: any Sendable]? { content.extraAttributes }

  public var keySpace: AVMetadataKeySpace? { identifier?.keySpace }
  public var key: String? { identifier?.key }
  /// The key that means the same in every format, if this one has such a meaning.
  public var commonKey: AVMetadataKey? { identifier?.commonKey }

  /// The value as text: a string, or a number written out.
  public var stringValue: String? { value as? String ?? numberValue?.stringValue }
  /// The value as a number: a number, or a string that is one.
  public var numberValue: NSNumber? {
    MetadataValue.number(value) ?? (value as? String).flatMap(Double.init).map { NSNumber(value: $0) }
  }
  /// The value as a date: a date, or text after ISO 8601.
  public var dateValue: Date? { value as? Date ?? (value as? String).flatMap(MetadataDate.parse) }
  /// The payload as it is stored.
  public var dataValue: Data? { content.storedBytes ?? encoded?.bytes }

  public func loadingState() -> AVLoadingState { .loaded }
}

extension AVPartialAsyncProperty where Root: AVMetadataItem {
  public static var value: AVAsyncProperty<Root, (any Sendable)?> { AVAsyncProperty("value") { $0.value } }
  public static var stringValue: AVAsyncProperty<Root, String?> { AVAsyncProperty("stringValue") { $0.stringValue } }
  public static var numberValue: AVAsyncProperty<Root, NSNumber?> { AVAsyncProperty("numberValue") { $0.numberValue } }
  public static var dateValue: AVAsyncProperty<Root, Date?> { AVAsyncProperty("dateValue") { $0.dateValue } }
  public static var dataValue: AVAsyncProperty<Root, Data?> { AVAsyncProperty("dataValue") { $0.dataValue } }
  public static var extraAttributes: AVAsyncProperty<Root, [String: any Sendable]?> {
    AVAsyncProperty("extraAttributes") { $0.extraAttributes }
  }
}

extension AVMetadataItem {
  /// Those of `items` that have `identifier`, in their order.
  public class func metadataItems(
    from items: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
  ) -> [AVMetadataItem] {
    items.filter { $0.identifier == identifier }
  }

  /// Those of `items` that have the key and the key space; nil stands for any.
  public class func metadataItems(
    from items: [AVMetadataItem], withKey key: String?, keySpace: AVMetadataKeySpace?
  ) -> [AVMetadataItem] {
    items.filter { (key == nil || $0.key == key) && (keySpace == nil || $0.keySpace == keySpace) }
  }

  /// The identifier of a key in a key space.
  public class func identifier(forKey key: String, keySpace: AVMetadataKeySpace) -> AVMetadataIdentifier? {
    AVMetadataIdentifier(key: key, keySpace: keySpace)
  }

  /// The same item under the key that means the same in every format, or nil if it has none.
  func asCommonItem() -> AVMetadataItem? {
    guard let commonKey else { return nil }
    var content = content
    content.identifier = AVMetadataIdentifier(key: commonKey.rawValue, keySpace: .common)
    return AVMetadataItem(content)
  }
}

/// An item of metadata that can be filled in, for a writer.
open class AVMutableMetadataItem: AVMetadataItem, @unchecked Sendable {
  open override var identifier: AVMetadataIdentifier? {
    get { content.identifier }
    set { content.identifier = newValue }
  }
  open override var dataType: String? {
    get { content.dataType }
    set {
      content.dataType = newValue
      content.storedBytes = nil
    }
  }
  open override var value: (any Sendable)? {
    get { content.value }
    set {
      content.value = newValue
      content.storedBytes = nil
    }
  }
  open override var time: CMTime {
    get { content.time }
    set { content.time = newValue }
  }
  open override var duration: CMTime {
    get { content.duration }
    set { content.duration = newValue }
  }
  open override var startDate: Date? {
    get { content.startDate }
    set { content.startDate = newValue }
  }
  open override var extendedLanguageTag: String? {
    get { content.extendedLanguageTag }
    set { content.extendedLanguageTag = newValue }
  }
  open override var extraAttributes: [String: any Sendable]? {
    get { content.extraAttributes }
    set { content.extraAttributes = newValue ?? [:] }
  }
}
