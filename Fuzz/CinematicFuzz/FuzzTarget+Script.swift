import Cinematic
import Foundation
public import QuickTimeFuzz

extension FuzzTarget {
  /// Scripts as JSON, with frames that say their focus and with decisions that it follows from.
  public static let script = FuzzTarget(
    name: "script",
    seeds: { [Data(frames.utf8), Data(decisions.utf8)] },
    run: { data in
      guard let script = try? RecordedScript(json: data) else { return }
      let again = try? RecordedScript(json: written(script))
      expect(again?.frameCount == script.frameCount, "a script that was read is written so that it is read again")
      // JSON has no NaN: what was none at first is a number from the second time on, and stays.
      let settled = again.map(written)
      expect(settled.flatMap { try? RecordedScript(json: $0) }.map(written) == settled, "a script is written as it was")
    })

  private static func written(_ script: RecordedScript) -> Data {
    var json = Data()
    do { try script.writeJSON { json += $0 } } catch {
      expect(false, "a script that was read can be written: \(error)")
    }
    return json
  }

  private static let frames = #"""
    {"schema": "cinematic-script", "version": 1, "time_range": {"start": "0/1", "end": "2/1"}, "focal_length": 26,
     "frames": [{"time": "0/1", "focus_id": 1, "base_id": 1, "user_id": -1, "aperture": 2.8, "focus_disparity": 0.5,
       "coefficient": 1, "elapsed": 0, "duration": 0, "flags": 1, "detections": [
         {"id": 1, "group": 11, "type": 1, "rect": [0.7, 0.6, 0.2, 0.2], "disparity": 0.5}]}, {"time": 1.5}]}
    """#

  private static let decisions = #"""
    {"schema": "cinematic-script", "aperture": 2, "decisions": [{"time": "1/30", "detection": 1, "strong": true}],
     "frames": [{"time": "0/30", "detections": [{"id": 1, "rect": [0, 0, 1, 1], "disparity": 1}]},
       {"time": "1/30", "detections": [{"id": 1, "rect": [0, 0, 1, 1], "disparity": 2}]}]}
    """#
}
