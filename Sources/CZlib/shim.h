#include <string.h>
#include <zlib.h>

/* The maximum size of the gzip (RFC 1952) of so many bytes. */
static inline size_t pcm_gzip_bound(size_t count) { return compressBound(count) + 18; }

/* Writes the gzip of bytes, and returns its size; 0 without memory. A macro of the library starts a stream, which Swift cannot call. */
static inline size_t pcm_gzip(const void *bytes, size_t count, int level, void *result, size_t bound) {
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = result;
  stream.avail_out = (uInt)bound;
  size_t size = deflate(&stream, Z_FINISH) == Z_STREAM_END ? stream.total_out : 0;
  deflateEnd(&stream);
  return size;
}
