/// Mac OS Roman, the text encoding of old user data.
enum MacRoman {
  /// The characters of the bytes from 0x80 on.
  private static let upperHalf = Array(
    "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü"
      + "†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
      + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ"
      + "‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
  )

  static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(bytes.map { $0 < 0x80 ? Character(Unicode.Scalar($0)) : upperHalf[Int($0) - 0x80] })
  }
}
