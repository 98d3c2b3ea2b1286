#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// What lies behind a pixel, from where lines through it leave its surface, and the samples that it becomes; as the CPU's
// `LineFill` and `HiddenLayer`.
#include "frame.glsl"
#include "resolutions.glsl"
#include "bins.glsl"
#include "guide.glsl"
#include "tiles.glsl"

layout(local_size_x = 16, local_size_y = 16) in;
layout(constant_id = 0) const uint bins = 8;
layout(constant_id = 1) const uint maximumSteps = 32;
layout(push_constant) uniform Constants { Frame frame; };
#include "hidden.glsl"

// Squares of differences of colour (square roots of light) below this say nothing.
const float leastDifference = 0.01;
// The difference of colour that a line with one end has in its place.
const float unknownDifference = 0.1;
// The change of colour beyond an end where it is not seen.
const float unknownChange = 0.02;
// The difference of colour that a step of disparity between the ends counts as.
const float stepDifference = 0.1;

// Pixels of a line that are read at a time: what comes next is on its way while the first is looked at.
const uint pace = 4;

// Where a line leaves the pixel's surface: light and disparity, how much the colour changes in another step, and how
// many steps it took, 0 for none.
struct End {
  vec4 light;
  float change;
  float steps;
};

bool isInside(ivec2 at) {
  return all(greaterThanEqual(at, ivec2(0))) && at.x < int(frame.width) && at.y < int(frame.height);
}

float disparityAt(ivec2 at) { return frame.raw.at[at.y * int(frame.width) + at.x]; }

vec4 lightAt(ivec2 at) {
  return vec4(unpack(frame.linear.at[at.y * int(frame.width) + at.x]).rgb, disparityAt(at));
}

// Pixels beyond an end that say what lies there.
const float endLength = 3;

// The end of a line that has come to a pixel: the mean of it and a few pixels beyond on the same surface.
End endAt(ivec2 at, ivec2 step, float drop, float steps) {
  float last = disparityAt(at);
  vec4 sum = vec4(0);
  vec3 colors = vec3(0);
  float squares = 0;
  float count = 0;
  while (count < endLength && isInside(at) && abs(disparityAt(at) - last) < drop) {
    vec4 light = lightAt(at);
    last = light.w;
    sum += light;
    vec3 color = guideColor(light.rgb);
    colors += color;
    squares += dot(color, color);
    count += 1;
    at += step;
  }
  vec3 mean = colors / count;
  float variance = max(squares / count - dot(mean, mean), 0);
  return End(sum / count, count > 1 ? 2 * variance : unknownChange, steps);
}

// How many steps in a direction lead beyond a drop; 0 where none is in reach.
uint stepsTo(ivec2 at, ivec2 step, float drop, uint reach) {
  ivec2 end = ivec2(frame.width, frame.height) - 1;
  float last = disparityAt(at);
  float limit = last - drop;
  for (uint first = 1; first <= reach; first += pace) {
    float values[pace];
    [[unroll]] for (uint i = 0; i < pace; i++) {
      values[i] = disparityAt(clamp(at + step * int(first + i), ivec2(0), end));
    }
    [[unroll]] for (uint i = 0; i < pace; i++) {
      if (!isInside(at + step * int(first + i))) return 0;
      if (values[i] < limit && last - values[i] > drop) return first + i <= reach ? first + i : 0;
      last = values[i];
    }
  }
  return 0;
}

// Where a direction leads beyond a drop.
End follow(ivec2 at, ivec2 step, float drop, uint reach) {
  uint steps = stepsTo(at, step, drop, reach);
  if (steps == 0) return End(vec4(0), 0, 0);
  return endAt(at + step * int(steps), step, drop, float(steps));
}

// Bright light counts less: a lamp beside an object does not mean another one behind it.
void add(vec4 light, float distance, float difference, inout vec4 sum, inout float total) {
  float doubt = (difference + leastDifference) * (1 + max(max(light.r, max(light.g, light.b)), 0));
  float weight = 1 / (distance * distance * doubt);
  sum += light * weight;
  total += weight;
}

void addLine(ivec2 at, ivec2 line, float drop, uint reach, inout vec4 sum, inout float total) {
  float len = sqrt(float(line.x * line.x + line.y * line.y));
  ivec2 step = line << int(hiddenShift(frame));
  End ahead = follow(at, step, drop, reach);
  End behind = follow(at, -step, drop, reach);
  if (ahead.steps > 0 && behind.steps > 0) {
    vec3 way = guideColor(ahead.light.rgb) - guideColor(behind.light.rgb);
    float jump = (ahead.light.w - behind.light.w) / drop * stepDifference;
    float steps = ahead.steps + behind.steps;
    vec4 mean = (ahead.light * behind.steps + behind.light * ahead.steps) / steps;
    add(mean, steps * len, dot(way, way) + jump * jump + ahead.change + behind.change, sum, total);
  } else if (ahead.steps > 0) {
    add(ahead.light, 2 * ahead.steps * len, unknownDifference + ahead.change, sum, total);
  } else if (behind.steps > 0) {
    add(behind.light, 2 * behind.steps * len, unknownDifference + behind.change, sum, total);
  }
}

const ivec2 lines[4] = ivec2[4](ivec2(1, 0), ivec2(0, 1), ivec2(1, 1), ivec2(1, -1));

// The light behind a pixel with its disparity; false where no line leaves its surface.
bool valueAt(ivec2 at, out vec4 value) {
  vec4 sum = vec4(0);
  float total = 0;
  float drop = hiddenDrop(frame);
  uint reach = hiddenReach(frame);
  [[dont_unroll]] for (int i = 0; i < 4; i++) addLine(at, lines[i], drop, reach, sum, total);
  value = total > 0 ? sum / total : vec4(0);
  return total > 0;
}

// What lies behind a block: what it shows itself behind its nearest pixel, else what lines from its first pixel come to.
bool behind(ivec2 first, out vec4 value) {
  if (hiddenShift(frame) == 0) return valueAt(first, value);
  ivec2 end = min(first + (1 << int(hiddenShift(frame))), ivec2(frame.width, frame.height));
  float most = -3e38;
  for (int y = first.y; y < end.y; y++) {
    for (int x = first.x; x < end.x; x++) most = max(most, disparityAt(ivec2(x, y)));
  }
  vec4 sum = vec4(0);
  float total = 0;
  float drop = hiddenDrop(frame);
  for (int y = first.y; y < end.y; y++) {
    for (int x = first.x; x < end.x; x++) {
      vec4 light = lightAt(ivec2(x, y));
      if (!(light.w < most - drop)) continue;
      float share = 1 / (1 + max(max(light.r, max(light.g, light.b)), 0));
      sum += light * share;
      total += share;
    }
  }
  value = total > 0 ? sum / total : vec4(0);
  return total > 0 || valueAt(first, value);
}

// A sample's key, 0 for none, and its light.
uint sampleAt(uint x, uint y, out vec4 color) {
  vec4 value;
  color = vec4(0);
  if (!behind(ivec2(x, y) << int(hiddenShift(frame)), value)) return 0;
  color = vec4(value.rgb, 1);
  uint key = keyOf(frame, value.w, bins);
  return makeKey(max(keyIndex(key), 1u), keyBin(key));
}

void main() {
  if (frame.circle.hiddenFilled == 0) return;
  uint level = hiddenLevels + frame.hiddenLevel;
  clearTile();
  uint coarsest = frame.circle.coarsest;
  uvec2 size = uvec2(frame.levels[level].width, frame.levels[level].height);
  uint y = gl_WorkGroupID.y * tileHeight + gl_LocalInvocationID.y;
  for (uint k = 0; k < 2 && y < size.y; k++) {
    uint x = gl_WorkGroupID.x * tileWidth + gl_LocalInvocationID.x + 16 * k;
    if (x >= size.x) break;
    uint place = y * size.x + x;
    uint key = 0;
    if (frame.nearEdge.at[place] == 0) {
      vec4 color;
      key = sampleAt(x, y, color);
      if (key != 0) {
        Halfs(frame.levels[level].colors).at[place] = pack(color);
        if (passed(frame, frame.hiddenLevel, keyIndex(key), coarsest) < 1) {
          addReach(keyBin(key), min(reachOf(frame, reducedIndex(frame, keyIndex(key), frame.hiddenLevel)), mostRadius));
        }
      }
    }
    Keys(frame.levels[level].keys).at[place] = uvec4(key, 0, 0, 0);
  }
  writeTile(Tiles(frame.levels[level].tiles), gl_WorkGroupID.y * frame.levels[level].tilesX + gl_WorkGroupID.x);
}
