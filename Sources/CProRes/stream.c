#include <string.h>

#include "CProRes.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

typedef uint32_t Vector __attribute__((vector_size(16)));

void cprores_stream(void *to, const void *from, ptrdiff_t bytes) {
  char *out = to;
  const char *in = from;
  // Rows of most pictures begin on such an address; a row's last bytes may be fewer.
  if (((intptr_t)out & 15) != 0) {
    memcpy(out, in, (size_t)bytes);
    return;
  }
  ptrdiff_t place = 0;
  for (; place + 16 <= bytes; place += 16) {
    Vector vector;
    memcpy(&vector, in + place, 16);
    __builtin_nontemporal_store(vector, (Vector *)(out + place));
  }
  if (place < bytes) memcpy(out + place, in + place, (size_t)(bytes - place));
}

void cprores_stream_end(void) {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}
