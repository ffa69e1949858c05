#pragma once

#include <zlib.h>

/// `inflateInit2` is a macro, which Swift does not import: this starts a decoder of gzip members only.
static inline int perfgate_inflate_init_gzip(z_streamp stream) { return inflateInit2(stream, 15 + 16); }

/// `deflateInit2` is a macro too: this starts an encoder of one gzip member.
static inline int perfgate_deflate_init_gzip(z_streamp stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
