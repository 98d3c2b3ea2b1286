// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6, warnings are errors, imports are internal unless they say otherwise.
let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A stage of the flow. `dependencies` names only stages above it; see `Docs/Architecture.md`.
func stage(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name + "Tests", dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let package = Package(
  name: "OpenCinematic",
  products: [
    .library(
      name: "OpenCinematic",
      targets: [
        "CoreGeometry", "Metal", "CoreVideo", "CoreMedia", "ProRes", "VideoToolbox", "AVFoundation", "Bokeh",
        "Cinematic",
      ]),
    .executable(name: "cinematic", targets: ["CinematicCommand"]),
  ],
  targets: [
    // C libraries, each imported by exactly one stage.
    .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat libavcodec libswscale libswresample libavutil"),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng"),
    .systemLibrary(name: "COpenEXR", pkgConfig: "OpenEXR"),
    .systemLibrary(name: "CVulkan"),
    // What Swift cannot say of a processor: a kernel for AVX2, which has a portable twin in the stage that calls it, and
    // prefetches and stores past the caches, which are for all.
    .target(name: "CProRes"),

    // The flow, from memory to the tool.
    stage("Compute", ["CVulkan"]),
    stage("CoreGeometry", []),
    stage("Metal", []),
    stage("CoreVideo", ["CoreGeometry", "Metal"]),
    stage("CoreVideoCompute", ["Compute", "CoreVideo"]),
    stage("CoreMedia", ["CoreGeometry", "CoreVideo"]),
    stage("ProRes", ["CProRes", "CoreVideo"]),
    stage("ProResCompute", ["Compute", "CoreVideo", "CoreVideoCompute", "ProRes"], exclude: ["Shaders"]),
    stage("QuickTime", ["CoreGeometry", "CoreMedia"]),
    stage("Codecs", ["CFFmpeg", "CoreGeometry", "CoreMedia", "CoreVideo"]),
    stage(
      "VideoToolbox", ["Codecs", "Compute", "CoreGeometry", "CoreMedia", "CoreVideo", "ProRes", "ProResCompute"]),
    stage(
      "AVFoundation", ["Codecs", "CoreGeometry", "CoreMedia", "CoreVideo", "QuickTime", "VideoToolbox"]),
    stage("Bokeh", ["CoreGeometry", "CoreVideo"]),
    stage("Compositing", ["Bokeh"]),
    stage("BokehCompute", ["Bokeh", "Compute", "CoreVideo", "CoreVideoCompute"], exclude: ["Shaders"]),
    stage("ImageFiles", ["COpenEXR", "CPNG", "CoreVideo"]),
    stage(
      "Cinematic",
      ["AVFoundation", "Bokeh", "BokehCompute", "CoreGeometry", "CoreMedia", "CoreVideo", "Metal", "QuickTime"]),
    stage(
      "CinematicTool",
      [
        "AVFoundation", "Bokeh", "BokehCompute", "Cinematic", "Codecs", "Compositing", "CoreGeometry", "CoreMedia",
        "CoreVideo", "ImageFiles", "Metal", "ProRes", "QuickTime", "VideoToolbox",
      ]),
    program("CinematicCommand", ["CinematicTool"]),

    // How applications use the library: what an example does, and a program that does so.
    .target(
      name: "SampleStream", dependencies: ["AVFoundation", "CoreMedia", "CoreVideo", "VideoToolbox"],
      path: "Examples/NetworkSamples/SampleStream", swiftSettings: settings),
    program("NetworkSamples", ["SampleStream"], path: "Examples/NetworkSamples/Command"),

    // Hostile input: what is fed to each parser, and a program that does so; see `Scripts/fuzz`.
    .target(
      name: "QuickTimeFuzz", dependencies: ["CoreMedia", "QuickTime"], path: "Fuzz/QuickTimeFuzz",
      swiftSettings: settings),
    .target(
      name: "CinematicFuzz", dependencies: ["Cinematic", "QuickTimeFuzz"], path: "Fuzz/CinematicFuzz",
      swiftSettings: settings),
    .target(
      name: "ProResFuzz", dependencies: ["CoreVideo", "ProRes", "QuickTimeFuzz"], path: "Fuzz/ProResFuzz",
      swiftSettings: settings),
    program("fuzz", ["CinematicFuzz", "ProResFuzz", "QuickTimeFuzz"], path: "Fuzz/fuzz"),

    // Speed and memory; see `Docs/Benchmarks.md`.
    program("script-bench", ["Cinematic", "CoreMedia", "QuickTime"], path: "Benchmarks/script-bench"),
    .target(name: "BokehScenes", path: "Benchmarks/BokehScenes", swiftSettings: settings),
    .target(name: "ProResClips", dependencies: ["CFFmpeg"], path: "Benchmarks/ProResClips", swiftSettings: settings),
    program("prores-bench", ["CoreVideo", "ProRes", "ProResClips"], path: "Benchmarks/prores-bench"),
    .target(
      name: "PictureCodes", dependencies: ["CoreVideo"], path: "Benchmarks/PictureCodes", swiftSettings: settings),
    program(
      "prores-device-bench", ["Compute", "CoreVideo", "PictureCodes", "ProRes", "ProResCompute"],
      path: "Benchmarks/prores-device-bench"),
    program("bokeh-bench", ["Bokeh", "BokehCompute", "BokehScenes", "CoreVideo"], path: "Benchmarks/bokeh-bench"),

    tests("Compute", ["Compute"], exclude: ["Shaders"]),
    tests("CoreVideo", ["CoreGeometry", "CoreVideo", "Metal"]),
    tests("CoreMedia", ["CoreMedia", "CoreVideo"]),
    tests(
      "ProRes",
      ["CProRes", "CoreVideo", "PictureCodes", "ProRes", "ProResClips", "ProResFuzz", "QuickTime", "QuickTimeFuzz"]),
    tests(
      "ProResCompute",
      [
        "Bokeh", "BokehCompute", "Compute", "CoreVideo", "CoreVideoCompute", "PictureCodes", "ProRes", "ProResClips",
        "ProResCompute",
      ]),
    tests("QuickTime", ["CoreGeometry", "CoreMedia", "QuickTime", "QuickTimeFuzz"]),
    tests("Codecs", ["Codecs", "CoreMedia", "CoreVideo", "QuickTime"]),
    tests(
      "VideoToolbox",
      [
        "AVFoundation", "Codecs", "Compute", "CoreGeometry", "CoreMedia", "CoreVideo", "ProRes", "ProResClips",
        "ProResCompute", "SampleStream",
        "VideoToolbox",
      ]),
    tests("AVFoundation", ["AVFoundation", "CoreGeometry", "CoreMedia", "CoreVideo", "Metal", "QuickTime"]),
    tests("Bokeh", ["Bokeh", "BokehScenes", "CoreGeometry", "CoreVideo"]),
    tests("Compositing", ["Bokeh", "Compositing", "CoreVideo"]),
    tests("BokehCompute", ["Bokeh", "BokehCompute", "Compute", "CoreGeometry", "CoreVideo"]),
    tests("ImageFiles", ["CoreVideo", "ImageFiles"]),
    tests(
      "Cinematic",
      ["AVFoundation", "Bokeh", "Cinematic", "CoreGeometry", "CoreMedia", "CoreVideo", "Metal", "QuickTime"]),
    tests(
      "CinematicTool",
      [
        "AVFoundation", "Cinematic", "CinematicTool", "CoreGeometry", "CoreMedia", "CoreVideo", "ImageFiles", "ProRes",
        "ProResClips", "QuickTime", "VideoToolbox",
      ]),
  ]
)
