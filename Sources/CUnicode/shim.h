#include <unicode/uidna.h>

/* ICU appends its version to the name of each function with a macro, which Swift does not see: one wrapper for each. */

/* NULL when ICU has no memory or no data. */
static inline UIDNA *pcm_idna_open(uint32_t options) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNA *idna = uidna_openUTS46(options, &status);
  return U_SUCCESS(status) ? idna : NULL;
}

static inline void pcm_idna_close(UIDNA *idna) { uidna_close(idna); }

/* The number of bytes written, or -1 when the name has no form in ASCII or the form does not fit. The result carries no
   terminating NUL. `errors` receives the UIDNA_ERROR_ bits that ICU found, all of which a caller may choose to accept. */
static inline int32_t pcm_idna_to_ascii(
  const UIDNA *idna, const char *name, int32_t length, char *ascii, int32_t capacity, uint32_t *errors) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  int32_t count = uidna_nameToASCII_UTF8(idna, name, length, ascii, capacity, &info, &status);
  *errors = info.errors;
  return U_SUCCESS(status) && count <= capacity ? count : -1;
}
