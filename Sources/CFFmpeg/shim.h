// What Swift cannot see of FFmpeg: macros and variadic functions, as constants and one-line functions.
#pragma once
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

static const int CFFMPEG_EAGAIN = AVERROR(EAGAIN);
static const int CFFMPEG_EOF = AVERROR_EOF;
static const int CFFMPEG_ENOMEM = AVERROR(ENOMEM);
static const int CFFMPEG_EINVAL = AVERROR(EINVAL);
static const int CFFMPEG_INVALIDDATA = AVERROR_INVALIDDATA;
static const int CFFMPEG_DECODER_NOT_FOUND = AVERROR_DECODER_NOT_FOUND;
static const int CFFMPEG_ENCODER_NOT_FOUND = AVERROR_ENCODER_NOT_FOUND;
static const int CFFMPEG_PATCHWELCOME = AVERROR_PATCHWELCOME;
static const int64_t CFFMPEG_NOPTS = AV_NOPTS_VALUE;
static const int CFFMPEG_INPUT_PADDING = AV_INPUT_BUFFER_PADDING_SIZE;

static const int CFFMPEG_THREAD_FRAME = FF_THREAD_FRAME;
static const int CFFMPEG_THREAD_SLICE = FF_THREAD_SLICE;
static const int CFFMPEG_FLAG_GLOBAL_HEADER = AV_CODEC_FLAG_GLOBAL_HEADER;
static const int CFFMPEG_FLAG_BITEXACT = AV_CODEC_FLAG_BITEXACT;
static const int CFFMPEG_PKT_KEY = AV_PKT_FLAG_KEY;
static const int CFFMPEG_EF_CRCCHECK = AV_EF_CRCCHECK;
static const int CFFMPEG_EF_EXPLODE = AV_EF_EXPLODE;
static const int CFFMPEG_COMPLIANCE_STRICT = FF_COMPLIANCE_STRICT;
static const int CFFMPEG_FRAME_CORRUPT = AV_FRAME_FLAG_CORRUPT;

// libswscale's flags and matrices, by name.
static const int CFFMPEG_SWS_EXACT = SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;
static const int CFFMPEG_SWS_BICUBIC = SWS_BICUBIC;
static const int CFFMPEG_SWS_AREA = SWS_AREA;
static const int CFFMPEG_SWS_CS_709 = SWS_CS_ITU709;
static const int CFFMPEG_SWS_CS_FCC = SWS_CS_FCC;
static const int CFFMPEG_SWS_CS_601 = SWS_CS_ITU601;
static const int CFFMPEG_SWS_CS_240M = SWS_CS_SMPTE240M;
static const int CFFMPEG_SWS_CS_2020 = SWS_CS_BT2020;
