// OpenEXRCore's structures start from macros, which Swift does not see: these functions read and write planes of floats.
#pragma once
#include <openexr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char text[256];
} cexr_failure;

static inline void cexr_on_error(exr_const_context_t context, exr_result_t code, const char *message) {
  void *data = NULL;
  exr_get_user_data(context, &data);
  if (data) snprintf(((cexr_failure *)data)->text, sizeof(cexr_failure), "%s", message ? message : exr_get_default_error_message(code));
}

#define CEXR_TRY(call)             \
  do {                             \
    result = (call);               \
    if (result != EXR_ERR_SUCCESS) goto done; \
  } while (0)

/// Writes planes of 32-bit floats, rows from the top without gaps, as channels of one part, in rising order of their names.
///
/// `chromaticities` are x and y of red, green, blue and white; NULL says nothing about them.
static inline exr_result_t cexr_write(
    const char *path, const char *part_name, const float *chromaticities, int32_t width, int32_t height, int count,
    const char *const *names, const float *const *planes, cexr_failure *failure) {
  exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
  setup.error_handler_fn = cexr_on_error;
  setup.user_data = failure;
  exr_context_t file = NULL;
  exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
  int part = 0, is_ready = 0;
  int32_t lines = 1;
  exr_result_t result;
  CEXR_TRY(exr_start_write(&file, path, EXR_WRITE_FILE_DIRECTLY, &setup));
  CEXR_TRY(exr_add_part(file, part_name, EXR_STORAGE_SCANLINE, &part));
  CEXR_TRY(exr_initialize_required_attr_simple(file, part, width, height, EXR_COMPRESSION_ZIP));
  if (chromaticities) {
    const float *c = chromaticities;
    exr_attr_chromaticities_t colors = {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
    CEXR_TRY(exr_attr_set_chromaticities(file, part, "chromaticities", &colors));
  }
  for (int i = 0; i < count; i++)
    CEXR_TRY(exr_add_channel(file, part, names[i], EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LINEAR, 1, 1));
  CEXR_TRY(exr_write_header(file));
  CEXR_TRY(exr_get_scanlines_per_chunk(file, part, &lines));
  for (int32_t y = 0; y < height; y += lines) {
    exr_chunk_info_t chunk;
    CEXR_TRY(exr_write_scanline_chunk_info(file, part, y, &chunk));
    CEXR_TRY(is_ready ? exr_encoding_update(file, part, &chunk, &pipeline)
                      : exr_encoding_initialize(file, part, &chunk, &pipeline));
    for (int i = 0; i < count; i++) {
      exr_coding_channel_info_t *channel = pipeline.channels + i;
      channel->encode_from_ptr = (const uint8_t *)(planes[i] + (size_t)y * width);
      channel->user_pixel_stride = 4;
      channel->user_line_stride = width * 4;
      channel->user_bytes_per_element = 4;
      channel->user_data_type = EXR_PIXEL_FLOAT;
    }
    if (!is_ready) CEXR_TRY(exr_encoding_choose_default_routines(file, part, &pipeline));
    is_ready = 1;
    CEXR_TRY(exr_encoding_run(file, part, &pipeline));
  }
done:
  if (is_ready) exr_encoding_destroy(file, &pipeline);
  if (file) {
    exr_result_t closed = exr_finish(&file);
    if (result == EXR_ERR_SUCCESS) result = closed;
  }
  if (result != EXR_ERR_SUCCESS && !failure->text[0])
    snprintf(failure->text, sizeof failure->text, "%s", exr_get_default_error_message(result));
  return result;
}

/// Reads x and y of red, green, blue and white of the first part; `is_stated` is 0 where it says nothing about them.
static inline exr_result_t cexr_read_chromaticities(
    const char *path, float numbers[8], int32_t *is_stated, cexr_failure *failure) {
  exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
  setup.error_handler_fn = cexr_on_error;
  setup.user_data = failure;
  exr_context_t file = NULL;
  exr_attr_chromaticities_t c;
  *is_stated = 0;
  exr_result_t result = exr_start_read(&file, path, &setup);
  if (result == EXR_ERR_SUCCESS) {
    result = exr_attr_get_chromaticities(file, 0, "chromaticities", &c);
    if (result == EXR_ERR_SUCCESS) {
      const float found[8] = {c.red_x, c.red_y, c.green_x, c.green_y, c.blue_x, c.blue_y, c.white_x, c.white_y};
      memcpy(numbers, found, sizeof found);
      *is_stated = 1;
    } else if (result == EXR_ERR_NO_ATTR_BY_NAME) {
      result = EXR_ERR_SUCCESS;
    }
  }
  if (file) exr_finish(&file);
  if (result != EXR_ERR_SUCCESS && !failure->text[0])
    snprintf(failure->text, sizeof failure->text, "%s", exr_get_default_error_message(result));
  return result;
}

/// Reads one channel of the first part as 32-bit floats, from scanlines. `allocate` gives the memory, rows from the top without gaps.
static inline exr_result_t cexr_read(
    const char *path, const char *name, int32_t maximum_side, void *context,
    float *(*allocate)(void *context, int32_t width, int32_t height), cexr_failure *failure) {
  exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
  setup.error_handler_fn = cexr_on_error;
  setup.user_data = failure;
  setup.max_image_width = maximum_side;
  setup.max_image_height = maximum_side;
  exr_context_t file = NULL;
  exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
  int is_ready = 0, is_found = 0;
  int32_t lines = 1;
  exr_attr_box2i_t window;
  exr_storage_t storage;
  float *plane = NULL;
  exr_result_t result;
  CEXR_TRY(exr_start_read(&file, path, &setup));
  CEXR_TRY(exr_get_storage(file, 0, &storage));
  if (storage != EXR_STORAGE_SCANLINE) CEXR_TRY(EXR_ERR_SCAN_TILE_MIXEDAPI);
  CEXR_TRY(exr_get_data_window(file, 0, &window));
  CEXR_TRY(exr_get_scanlines_per_chunk(file, 0, &lines));
  const int64_t width = (int64_t)window.max.x - window.min.x + 1, height = (int64_t)window.max.y - window.min.y + 1;
  if (width < 1 || height < 1 || width > maximum_side || height > maximum_side) CEXR_TRY(EXR_ERR_INVALID_ATTR);
  plane = allocate(context, (int32_t)width, (int32_t)height);
  if (!plane) CEXR_TRY(EXR_ERR_OUT_OF_MEMORY);
  for (int64_t y = window.min.y; y <= window.max.y; y += lines) {
    exr_chunk_info_t chunk;
    CEXR_TRY(exr_read_scanline_chunk_info(file, 0, (int)y, &chunk));
    CEXR_TRY(is_ready ? exr_decoding_update(file, 0, &chunk, &pipeline)
                      : exr_decoding_initialize(file, 0, &chunk, &pipeline));
    for (int i = 0; i < pipeline.channel_count; i++) {
      exr_coding_channel_info_t *channel = pipeline.channels + i;
      channel->decode_to_ptr = NULL;
      if (strcmp(channel->channel_name, name) || channel->x_samples != 1 || channel->y_samples != 1) continue;
      is_found = 1;
      channel->decode_to_ptr = (uint8_t *)(plane + (y - window.min.y) * width);
      channel->user_pixel_stride = 4;
      channel->user_line_stride = (int32_t)(width * 4);
      channel->user_bytes_per_element = 4;
      channel->user_data_type = EXR_PIXEL_FLOAT;
    }
    if (!is_found) CEXR_TRY(EXR_ERR_MISSING_REQ_ATTR);
    if (!is_ready) CEXR_TRY(exr_decoding_choose_default_routines(file, 0, &pipeline));
    is_ready = 1;
    CEXR_TRY(exr_decoding_run(file, 0, &pipeline));
  }
done:
  if (is_ready) exr_decoding_destroy(file, &pipeline);
  if (file) exr_finish(&file);
  if (result != EXR_ERR_SUCCESS && !failure->text[0])
    snprintf(failure->text, sizeof failure->text, "%s", exr_get_default_error_message(result));
  return result;
}
