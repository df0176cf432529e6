#include "public_suffix_list.h"

const char pcm_public_suffix_list[] = {
#embed "public_suffix_list.dat"
};

const size_t pcm_public_suffix_list_length = sizeof pcm_public_suffix_list;
