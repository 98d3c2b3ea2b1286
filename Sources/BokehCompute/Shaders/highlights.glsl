// Gives clipped highlights more light where they are blurred; as the CPU's `HighlightRecovery`.
const float highlightThreshold = 0.9;
const float highlightHalfRadius = 2.5;

vec4 recovered(Frame frame, vec4 light, uint index) {
  float most = max(light.r, max(light.g, light.b));
  if (index <= sharpIndex || most <= highlightThreshold) return light;
  float way = min((most - highlightThreshold) / (1 - highlightThreshold), 1);
  float blur = float(index - sharpIndex) / stepsPerPixel;
  float halfBlur = highlightHalfRadius - 0.5;
  return vec4(light.rgb * (1 + frame.highlights * way * way * (blur * blur / (blur * blur + halfBlur * halfBlur))), light.a);
}
