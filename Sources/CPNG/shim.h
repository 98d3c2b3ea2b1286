// libpng reports errors by longjmp, which must not cross Swift frames: these functions take the jump themselves.
#pragma once
#include <png.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t width;
  uint32_t height;
  /// 8 or 16; smaller depths are read as 8.
  int bit_depth;
  /// 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA.
  int channels;
  /// -1 unless the file says that it is sRGB.
  int srgb_intent;
} cpng_header;

typedef struct {
  char text[160];
} cpng_failure;

static inline void cpng_on_error(png_structp png, png_const_charp message) {
  cpng_failure *failure = (cpng_failure *)png_get_error_ptr(png);
  snprintf(failure->text, sizeof failure->text, "%s", message);
  longjmp(png_jmpbuf(png), 1);
}

static inline void cpng_on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

/// Writes rows of samples in the machine's byte order. Returns 0, or 1 with the reason in `failure`.
static inline int cpng_write(
    FILE *file, const cpng_header *header, const uint8_t *rows, size_t bytes_per_row, cpng_failure *failure) {
  static const int color_types[5] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                     PNG_COLOR_TYPE_RGB_ALPHA};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, failure, cpng_on_error, cpng_on_warning);
  if (!png) return 1;
  png_infop info = png_create_info_struct(png);
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return 1;
  }
  png_init_io(png, file);
  png_set_IHDR(png, info, header->width, header->height, header->bit_depth, color_types[header->channels],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (header->srgb_intent >= 0) png_set_sRGB_gAMA_and_cHRM(png, info, header->srgb_intent);
  png_set_compression_level(png, 4);
  png_write_info(png, info);
  if (header->bit_depth == 16) png_set_swap(png);
  for (uint32_t y = 0; y < header->height; y++) png_write_row(png, (png_const_bytep)(rows + y * bytes_per_row));
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return 0;
}

/// Reads the header, then, where `allocate` gives memory for the rows, the picture: 8-bit or 16-bit samples in the machine's byte order.
///
/// Palettes become RGB, transparency alpha, depths below 8 bits 8. Returns 0, or 1 with the reason in `failure`.
static inline int cpng_read(
    FILE *file, uint32_t maximum_side, cpng_header *header, void *context,
    uint8_t *(*allocate)(void *context, const cpng_header *header, size_t *bytes_per_row), cpng_failure *failure) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, failure, cpng_on_error, cpng_on_warning);
  if (!png) return 1;
  png_infop info = png_create_info_struct(png);
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return 1;
  }
  png_set_user_limits(png, maximum_side, maximum_side);
  png_init_io(png, file);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_swap(png);
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  header->width = png_get_image_width(png, info);
  header->height = png_get_image_height(png, info);
  header->bit_depth = png_get_bit_depth(png, info);
  header->channels = png_get_channels(png, info);
  if (!png_get_sRGB(png, info, &header->srgb_intent)) header->srgb_intent = -1;
  size_t bytes_per_row = 0;
  uint8_t *rows = allocate(context, header, &bytes_per_row);
  if (!rows || bytes_per_row < png_get_rowbytes(png, info)) png_error(png, "the picture does not fit into memory");
  for (int pass = 0; pass < passes; pass++) {
    for (uint32_t y = 0; y < header->height; y++) png_read_row(png, rows + y * bytes_per_row, NULL);
  }
  png_read_end(png, NULL);
  png_destroy_read_struct(&png, &info, NULL);
  return 0;
}
