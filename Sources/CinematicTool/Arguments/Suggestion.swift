/// The known word that a misspelt one most likely meant.
enum Suggestion {
  /// The nearest of `known` if it is near enough to be worth saying; the first of several equally near.
  static func nearest(to word: String, among known: [String]) -> String? {
    let lower = word.lowercased()
    if let start = known.first(where: { lower.count >= 3 && $0.hasPrefix(lower) }) { return start }
    let ranked = known.map { (word: $0, distance: distance(lower, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    // A third of the letters may be wrong: "rendr" is 'render', "foo" is nothing.
    return best.distance <= max(1, best.word.count / 3) ? best.word : nil
  }

  /// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
  static func distance(_ first: String, _ second: String) -> Int {
    let a = Array(first.prefix(64)), b = Array(second.prefix(64))
    var older: [Int] = [], old = Array(0...b.count)
    for i in a.indices {
      var new = [i + 1]
      for j in b.indices {
        var cost = min(old[j + 1] + 1, new[j] + 1, old[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, older[j - 1] + 1) }
        new.append(cost)
      }
      (older, old) = (old, new)
    }
    return old[b.count]
  }
}
