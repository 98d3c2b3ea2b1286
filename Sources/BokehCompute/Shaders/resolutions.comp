#version 460
#extension GL_GOOGLE_include_directive : require
// How many resolutions the frame needs, their bins, and the groups that work on each; as the CPU's `Resolutions`.
#include "frame.glsl"
#include "resolutions.glsl"
#include "bins.glsl"

layout(local_size_x = 32) in;
layout(constant_id = 0) const uint bins = 8;
layout(push_constant) uniform Constants { Frame frame; };

void main() {
  uint level = gl_LocalInvocationIndex;
  if (level >= levelCount) return;
  Circle circle = frame.circle;
  uint coarsest = frame.baseLevel;
  while (coarsest < frame.lastLevel && circle.largest > band(frame, coarsest).x) coarsest++;
  if (level == 0) circle.coarsest = coarsest;
  bool isUsed = level <= coarsest;
  circle.groups[level][0] = isUsed ? frame.levels[level].tilesX : 0;
  circle.groups[level][1] = isUsed ? frame.levels[level].tilesY : 0;
  circle.groups[level][2] = isUsed ? 1 : 0;
  bool isHiddenUsed = level >= frame.hiddenLevel && level <= max(coarsest, frame.hiddenLevel);
  circle.groups[hiddenLevels + level][0] = isHiddenUsed ? frame.levels[hiddenLevels + level].tilesX : 0;
  circle.groups[hiddenLevels + level][1] = isHiddenUsed ? frame.levels[hiddenLevels + level].tilesY : 0;
  circle.groups[hiddenLevels + level][2] = isHiddenUsed ? 1 : 0;
  if (level == 0) return;
  float radius = float(band(frame, level - 1).x + 1) / stepsPerPixel;
  circle.nearBin[level] = nearBinOf(circle, radius);
  circle.farBin[level] = farBinOf(circle, radius, bins);
  float end = float(band(frame, level - 1).y) / stepsPerPixel;
  circle.nearEnd[level] = nearBinOf(circle, end);
  circle.farEnd[level] = farBinOf(circle, end, bins);
}
