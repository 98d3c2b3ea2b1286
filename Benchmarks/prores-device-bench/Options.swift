/// What the command line asks for.
struct Options {
  var clips: [String] = []
  var device: String?
  var batch: Int?
  var runs = 9
  var isJSON = false
  /// Whether pictures are compared with the processor's, in every format, and nothing is measured.
  var isCheck = false

  static let usage = """
    usage: prores-device-bench [options] CLIP…
      CLIP          a file of ProRes frames one after the other, as `prores-bench --write` makes them
      --device NAME a Vulkan device's name, or a part of it (the first GPU, or the first of all)
      --batch N     frames that are decoded at a time (as many as the decoder itself would take)
      --runs N      whose median is given (9)
      --check       compare every frame in every pixel format with the processor's, and damaged ones too
      --json        one JSON object instead of a table
    """

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--check": isCheck = true
      case "--device": device = rest.popFirst()
      case "--batch": batch = try Options.count(argument, rest.popFirst())
      case "--runs": runs = try Options.count(argument, rest.popFirst())
      case _ where argument.hasPrefix("--"):
        throw UsageError(message: "prores-device-bench does not know '\(argument)'")
      default: clips.append(argument)
      }
    }
    guard !clips.isEmpty else { throw UsageError(message: "name a clip") }
  }

  private static func count(_ name: String, _ text: String?) throws(UsageError) -> Int {
    guard let count = text.flatMap({ Int($0) }), (1...1000).contains(count) else {
      throw UsageError(message: "\(name) takes a number from 1 to 1000")
    }
    return count
  }
}

struct UsageError: Error {
  let message: String
}
