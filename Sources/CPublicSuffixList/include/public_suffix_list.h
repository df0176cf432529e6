#include <stddef.h>

/// The public suffix list that the service is built with, as published (MPL 2.0; its version is in its head). A
/// function, because Swift does not import an array of unknown length.
const char *pcm_public_suffix_list_bytes(void);
extern const size_t pcm_public_suffix_list_length;
