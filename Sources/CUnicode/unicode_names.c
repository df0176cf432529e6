#include "unicode_names.h"

#include <unicode/uidna.h>

/* The options of WebKit's parser (URLParser.cpp). */
static const uint32_t options = UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII;

/* What WebKit lets pass. The host's own grammar judges empty and long labels. */
static const uint32_t accepted_errors = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG
  | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

pcm_unicode_names *pcm_unicode_names_open(void) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNA *idna = uidna_openUTS46(options, &status);
  return U_SUCCESS(status) ? (pcm_unicode_names *)idna : NULL;
}

void pcm_unicode_names_close(pcm_unicode_names *names) { uidna_close((UIDNA *)names); }

int32_t pcm_unicode_names_to_ascii(
  const pcm_unicode_names *names, const char *name, int32_t length, char *ascii, int32_t capacity) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  int32_t count = uidna_nameToASCII_UTF8((const UIDNA *)names, name, length, ascii, capacity, &info, &status);
  return U_SUCCESS(status) && count <= capacity && !(info.errors & ~accepted_errors) ? count : -1;
}
