#pragma once

#include <stdint.h>

/* The conversion of internationalized domain names to ASCII (UTS 46). */
typedef struct pcm_unicode_names pcm_unicode_names;

/* NULL when ICU has no memory or no data. Never changes after this call, so any number of threads may use it. */
pcm_unicode_names *pcm_unicode_names_open(void);

void pcm_unicode_names_close(pcm_unicode_names *names);

/* Returns the number of bytes written, without a terminating NUL, or -1 when the name is invalid or the result does not
   fit. */
int32_t pcm_unicode_names_to_ascii(
  const pcm_unicode_names *names, const char *name, int32_t length, char *ascii, int32_t capacity);
