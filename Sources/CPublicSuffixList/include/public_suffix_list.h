#include <stddef.h>

/// The public suffix list that the service is built with, as published (MPL 2.0; its version is in its head).
extern const char pcm_public_suffix_list[];
extern const size_t pcm_public_suffix_list_length;
