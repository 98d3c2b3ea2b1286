import Compute
import Foundation
import ProResCompute

// How fast ProRes is decoded on a Vulkan device; see `Docs/Benchmarks.md`.

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  let devices = ComputeDevice.all()
  let usable = devices.indices.filter { index in
    devices[index].lacking == nil
      && (options.device.map { devices[index].name.lowercased().contains($0.lowercased()) } ?? true)
  }
  guard let index = usable.first(where: { devices[$0].kind != .software }) ?? usable.first else {
    throw UsageError(message: "there is no such Vulkan device")
  }
  let decoder = try ProResDeviceDecoder(device: try ComputeDevice(index: index))
  if options.isCheck {
    for clip in options.clips { try ClipCheck(clip, decoder).run() }
    exit(0)
  }
  if !options.isJSON {
    print("On \(decoder.deviceName), medians of \(options.runs).")
    print("| " + DeviceTable.head.joined(separator: " | ") + " |\n|" + DeviceTable.head.map { _ in "---|" }.joined())
  }
  var tables: [DeviceTable] = []
  for clip in options.clips {
    tables.append(try DeviceTable(clip, decoder, options))
    if !options.isJSON { print("| " + tables.last!.row.joined(separator: " | ") + " |") }
  }
  if options.isJSON {
    let all: [String: Any] = ["device": decoder.deviceName, "clips": tables.map(\.json)]
    print(String(decoding: try JSONSerialization.data(withJSONObject: all), as: UTF8.self))
  }
} catch let error as UsageError {
  FileHandle.standardError.write(Data("error: \(error.message)\n\(Options.usage)\n".utf8))
  exit(2)
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(1)
}
