// The inverse transform of ProRes for processors with AVX2, and what to ask before it is called.
//
// `ProRes/Transform/PlaneTransform.swift` does the same for all processors and is the specification of this one.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The blocks of one plane of a slice, and where their samples go.
typedef struct {
  // For each block 64 dequantised coefficients in columns, with the DC's place free; zero again afterwards.
  float *coefficients;
  // For each block the largest scan position that is not zero.
  const uint8_t *last;
  // For each block the quantised DC, which `dcScale` / 2^`dcShift` turns into codes.
  const int32_t *dc;
  int32_t blocks;
  int32_t dcScale;
  int32_t dcShift;
  // Blocks stand in rows of a macroblock (luma), or in columns (chroma).
  bool inRows;
  bool isInterlaced;
  // The code of a zero sample, and the largest code.
  int32_t middle;
  int32_t most;
  uint16_t *samples;
  ptrdiff_t samplesPerRow;
} CProResPlane;

// Whether this processor can run `cprores_transform_avx2`.
bool cprores_has_avx2(void);
void cprores_transform_avx2(const CProResPlane *plane);
