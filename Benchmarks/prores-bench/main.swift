import Foundation
import ProRes
import ProResClips

func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

let texture = Texture()
let (width, height) = (1920, 1080)
for (profile, rate) in [(ProResClip.Profile.proxy, 0.6), (.standard, 2.5), (.hq, 3.75), (.p4444, 5.6), (.p4444XQ, 8.4)]
{
  var settings = ProResClip.Settings(profile, width, height)
  settings.bitsPerPixel = rate
  settings.frames = 4
  let clip = try ProResClip(settings, texture.code)
  let pixels = Double(width * height * settings.frames)
  let library = try LibraryDecoder(settings)
  let decoder = try ProResDecoder(codec: ProResDecoder.codecs[profile.rawValue])
  let chroma = profile.is4444 ? width : width / 2
  let planes = [width, chroma, chroma].map { width in
    let memory = UnsafeMutableRawPointer.allocate(byteCount: width * height * 2, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: width * height * 2)
    return ProResDestination.Plane(base: memory, bytesPerRow: width * 2)
  }
  let destination = ProResDestination(
    layout: .planar(depth: profile.is4444 ? 12 : 10), width: width, height: height, planes: planes)
  var options = ProResDecoder.Options()
  options.threads = 1
  var theirs: [Double] = []
  var ours: [Double] = []
  for _ in 0..<5 {
    var start = now()
    for sample in clip.samples { try library.decode(sample) }
    theirs.append((now() - start) / pixels * 1e9)
    start = now()
    for sample in clip.samples {
      let report = try sample.withUnsafeBytes { try decoder.decode($0, into: destination, options: options) }
      precondition(report.isSound)
    }
    ours.append((now() - start) / pixels * 1e9)
  }
  print(
    profile,
    String(
      format: "%.2f bits/px, FFmpeg %.2f ns/px, ours %.2f, x%.2f", clip.bitsPerPixel, median(theirs), median(ours),
      median(theirs) / median(ours)))
}
