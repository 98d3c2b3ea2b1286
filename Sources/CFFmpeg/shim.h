// What Swift cannot see of FFmpeg: macros and variadic functions, as constants and one-line functions.
#pragma once
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/imgutils.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

static const int CFFMPEG_EAGAIN = AVERROR(EAGAIN);
static const int CFFMPEG_EOF = AVERROR_EOF;
static const int CFFMPEG_ENOMEM = AVERROR(ENOMEM);
static const int CFFMPEG_INVALIDDATA = AVERROR_INVALIDDATA;
static const int64_t CFFMPEG_NOPTS = AV_NOPTS_VALUE;
