import BokehCompute
import Foundation

extension CinematicTool {
  /// `cinematic devices`
  static let devicesCommand = Command(
    name: "devices",
    summary: "list what movies can be rendered on",
    details: [
      "The names are those that '--device' takes. A device of the kind 'software' is the processor again, by way of Vulkan: it is for tests, "
        + "and only used where it is named."
    ],
    options: [],
    examples: [.init("cinematic devices", "The processor, and every Vulkan device that can be used.")],
    action: { invocation in
      let devices = BokehDevice.all
      if invocation.wantsJSON {
        let rows = devices.map { JSON.object([("name", .string($0.name)), ("kind", .string($0.kind))]) }
        invocation.console.print(JSON.object([("devices", .array(rows))]).text)
      } else {
        for device in devices { invocation.console.print("\(device.name) (\(device.kind))") }
      }
    })
}

extension Command.Option {
  static let device = Self(
    "device", value: "NAME",
    "What to render on: auto (a GPU if there is one, else the processor; so unless given), cpu, vulkan, or a name from "
      + "'cinematic devices'.")
}

extension Invocation {
  /// The device after `--device`; `auto` unless given.
  func device() throws -> BokehDevice {
    do {
      return try BokehDevice.choose(value("device") ?? "auto")
    } catch {
      let sentence = error.localizedDescription
      throw UsageError(
        sentence.prefix(1).lowercased() + sentence.dropFirst().dropLast(sentence.hasSuffix(".") ? 1 : 0), path: path)
    }
  }
}
