#include "public_suffix_list.h"

static const char list[] = {
#embed "public_suffix_list.dat"
};

const size_t pcm_public_suffix_list_length = sizeof list;

const char *pcm_public_suffix_list_bytes(void) { return list; }
