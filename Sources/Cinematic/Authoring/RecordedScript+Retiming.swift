package import CoreMedia

extension RecordedScript {
  /// The same frames at other times, one for each; the order is kept.
  package func retimed(_ times: [CMTime], _ timeRange: CMTimeRange) throws(CNCinematicError) -> RecordedScript {
    guard times.count == frameCount else {
      throw CNCinematicError(.incompatible, "The script has \(frameCount) frames, not \(times.count).")
    }
    var script = withoutFrames(timeRange)
    script.warnings = warnings
    for (index, time) in times.enumerated() {
      var frame = frame(index)
      frame.time = time
      try script.append(frame)
    }
    return script
  }
}
