#include "CProRes.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX2_INLINE static inline __attribute__((always_inline, target("avx2,fma")))

bool cprores_has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

// Eight inverse transforms of eight values side by side, after Arai, Agui and Nakajima: the coefficients come with the factors
// that the flow graph leaves out. `half`: the last four are zero.
AVX2_INLINE void transform8(__m256 v[8], bool half) {
  const __m256 root2 = _mm256_set1_ps(1.41421356237f);
  const __m256 cosine = _mm256_set1_ps(1.84775906502f);
  const __m256 sine = _mm256_set1_ps(0.76536686473f);
  __m256 sum, difference, pair, turned;
  __m256 a, b, c, d;
  if (half) {
    sum = difference = v[0];
    pair = v[2];
    turned = _mm256_fmsub_ps(v[2], root2, pair);
    a = c = v[1];
    b = v[3];
    d = _mm256_sub_ps(_mm256_setzero_ps(), v[3]);
  } else {
    sum = _mm256_add_ps(v[0], v[4]);
    difference = _mm256_sub_ps(v[0], v[4]);
    pair = _mm256_add_ps(v[2], v[6]);
    turned = _mm256_fmsub_ps(_mm256_sub_ps(v[2], v[6]), root2, pair);
    a = _mm256_add_ps(v[1], v[7]);
    c = _mm256_sub_ps(v[1], v[7]);
    b = _mm256_add_ps(v[5], v[3]);
    d = _mm256_sub_ps(v[5], v[3]);
  }
  const __m256 even0 = _mm256_add_ps(sum, pair), even3 = _mm256_sub_ps(sum, pair);
  const __m256 even1 = _mm256_add_ps(difference, turned), even2 = _mm256_sub_ps(difference, turned);
  const __m256 odd0 = _mm256_add_ps(a, b);
  const __m256 odd1 = _mm256_sub_ps(_mm256_fmsub_ps(cosine, c, _mm256_mul_ps(sine, d)), odd0);
  const __m256 odd2 = _mm256_fmsub_ps(_mm256_sub_ps(a, b), root2, odd1);
  const __m256 odd3 = _mm256_fmadd_ps(sine, c, _mm256_fmsub_ps(cosine, d, odd2));
  v[0] = _mm256_add_ps(even0, odd0);
  v[7] = _mm256_sub_ps(even0, odd0);
  v[1] = _mm256_add_ps(even1, odd1);
  v[6] = _mm256_sub_ps(even1, odd1);
  v[2] = _mm256_add_ps(even2, odd2);
  v[5] = _mm256_sub_ps(even2, odd2);
  v[3] = _mm256_add_ps(even3, odd3);
  v[4] = _mm256_sub_ps(even3, odd3);
}

AVX2_INLINE void transpose8(__m256 v[8]) {
  __m256 t[8], u[8];
  for (int i = 0; i < 4; i++) {
    t[2 * i] = _mm256_unpacklo_ps(v[2 * i], v[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_ps(v[2 * i], v[2 * i + 1]);
  }
  for (int i = 0; i < 2; i++) {
    u[4 * i] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0x44);
    u[4 * i + 1] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0xEE);
    u[4 * i + 2] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
    u[4 * i + 3] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xEE);
  }
  for (int i = 0; i < 4; i++) {
    v[i] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x20);
    v[i + 4] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x31);
  }
}

// `fewColumns`, `fewRows`: the last four columns, or rows, of levels are zero.
AVX2_INLINE void transform_block(
    const CProResPlane *p, int16_t *levels, int32_t dc, float fraction, uint16_t *out, bool fewColumns, bool fewRows) {
  __m256 v[8];
  const int columns = fewColumns ? 4 : 8;
  for (int i = 0; i < columns; i++) {
    const __m256i wide = _mm256_cvtepi16_epi32(_mm_load_si128((const __m128i *)(levels + 8 * i)));
    v[i] = _mm256_mul_ps(_mm256_cvtepi32_ps(wide), _mm256_loadu_ps(p->weights + 8 * i));
  }
  for (int i = 0; i < columns; i += 2)
    _mm256_storeu_si256((__m256i *)(levels + 8 * i), _mm256_setzero_si256());
  v[0] = _mm256_blend_ps(v[0], _mm256_castps128_ps256(_mm_set_ss(fraction)), 1);
  transform8(v, fewColumns);
  transpose8(v);
  transform8(v, fewRows);
  const __m256i base = _mm256_set1_epi32(p->middle + dc);
  const __m256i most = _mm256_set1_epi16((short)p->most);
  // Beyond 2^31 a conversion answers with the smallest integer, whatever the sign; the twin has the same bounds.
  const __m256 lower_bound = _mm256_set1_ps(-4000000), upper_bound = _mm256_set1_ps(4000000);
  for (int i = 0; i < 8; i++) v[i] = _mm256_min_ps(_mm256_max_ps(v[i], lower_bound), upper_bound);
  for (int i = 0; i < 8; i += 2) {
    const __m256i upper = _mm256_add_epi32(_mm256_cvtps_epi32(v[i]), base);
    const __m256i lower = _mm256_add_epi32(_mm256_cvtps_epi32(v[i + 1]), base);
    __m256i rows = _mm256_permute4x64_epi64(_mm256_packus_epi32(upper, lower), 0xD8);
    rows = _mm256_min_epu16(rows, most);
    _mm_storeu_si128((__m128i *)(out + i * p->samplesPerRow), _mm256_castsi256_si128(rows));
    _mm_storeu_si128((__m128i *)(out + (i + 1) * p->samplesPerRow), _mm256_extracti128_si256(rows, 1));
  }
}

AVX2_INLINE void fill_block(const CProResPlane *p, int32_t dc, uint16_t *out) {
  int32_t code = p->middle + dc;
  code = code < 0 ? 0 : code > p->most ? p->most : code;
  const __m128i row = _mm_set1_epi16((short)code);
  for (int i = 0; i < 8; i++) _mm_storeu_si128((__m128i *)(out + i * p->samplesPerRow), row);
}

AVX2 void cprores_transform_avx2(const CProResPlane *p) {
  const int32_t rest = (1 << p->dcShift) - 1;
  const float unit = 1.0f / (float)(1 << p->dcShift);
  // Halves go up, as in a block that has only a DC; nothing else is as near to a half.
  const float up = p->dcShift ? 1.0f / 8192 : 0;
  for (int block = 0; block < p->blocks; block++) {
    const int x = p->inRows ? (block >> 2) * 16 + (block & 1) * 8 : (block >> 1) * 8;
    const int y = p->inRows ? (block >> 1 & 1) * 8 : (block & 1) * 8;
    uint16_t *out = p->samples + y * p->samplesPerRow + x;
    int16_t *levels = p->levels + block * 64;
    int64_t scaled = (int64_t)p->dc[block] * p->dcScale;
    scaled = scaled < -(1 << 28) ? -(1 << 28) : scaled > 1 << 28 ? 1 << 28 : scaled;
    const int32_t whole = (int32_t)(scaled >> p->dcShift);
    // Two columns a vector.
    __m256i columns[4];
    for (int i = 0; i < 4; i++) columns[i] = _mm256_load_si256((const __m256i *)(levels + 16 * i));
    const __m256i right = _mm256_or_si256(columns[2], columns[3]);
    const __m256i all = _mm256_or_si256(_mm256_or_si256(columns[0], columns[1]), right);
    if (_mm256_testz_si256(all, all)) {
      fill_block(p, whole + ((scaled & rest) * 2 > rest), out);
      continue;
    }
    const float fraction = (float)(scaled & rest) * unit + up;
    const bool fewColumns = _mm256_testz_si256(right, right);
    const bool fewRows = _mm256_testz_si256(all, _mm256_set_epi64x(-1, 0, -1, 0));
    if (fewColumns && fewRows)
      transform_block(p, levels, whole, fraction, out, true, true);
    else if (fewRows)
      transform_block(p, levels, whole, fraction, out, false, true);
    else
      transform_block(p, levels, whole, fraction, out, false, false);
  }
}

#else

bool cprores_has_avx2(void) { return false; }
void cprores_transform_avx2(const CProResPlane *plane) { (void)plane; }

#endif
