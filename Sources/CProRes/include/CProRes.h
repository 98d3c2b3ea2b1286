// What Swift cannot say: the inverse transform of ProRes for processors with AVX2, and, for every processor, hints of
// what memory comes next and stores past the caches.
//
// `ProRes/Transform/PlaneTransform.swift` does the same as the transform and is its specification.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The blocks of one plane of a slice, and where their samples go.
typedef struct {
  // For each block 64 levels in columns, zero where the DC belongs; all zero afterwards.
  int16_t *levels;
  // What they are multiplied by.
  const float *weights;
  // For each block the quantised DC, which `dcScale` / 2^`dcShift` turns into codes.
  const int32_t *dc;
  int32_t blocks;
  int32_t dcScale;
  int32_t dcShift;
  // Blocks stand in rows of a macroblock (luma), or in columns (chroma).
  bool inRows;
  // The code of a zero sample, and the largest code.
  int32_t middle;
  int32_t most;
  uint16_t *samples;
  ptrdiff_t samplesPerRow;
} CProResPlane;

// Asks for memory that will soon be written: `rows` rows of `bytes` bytes, `pitch` bytes apart. On every processor.
static inline void cprores_prefetch(const void *base, ptrdiff_t pitch, ptrdiff_t rows, ptrdiff_t bytes) {
  for (ptrdiff_t row = 0; row < rows; row++)
    for (ptrdiff_t byte = 0; byte < bytes; byte += 64)
      __builtin_prefetch((const char *)base + row * pitch + byte, 1, 2);
}

// Asks for `bytes` bytes that will soon be read, and may be read by others too. On every processor.
static inline void cprores_prefetch_input(const void *base, ptrdiff_t bytes) {
  for (ptrdiff_t byte = 0; byte < bytes; byte += 64) __builtin_prefetch((const char *)base + byte, 0, 2);
}

// Copies to memory past the caches, which large pictures only flow through; `cprores_stream_end` before another thread reads it.
// On every processor; where there are no such stores it is a copy.
void cprores_stream(void *to, const void *from, ptrdiff_t bytes);
void cprores_stream_end(void);

// Whether this processor can run `cprores_transform_avx2`.
bool cprores_has_avx2(void);
void cprores_transform_avx2(const CProResPlane *plane);
