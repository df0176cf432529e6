#include <stddef.h>

/// The OpenAPI document that the service publishes, `openapi.json` as it lies beside the source. A function, because
/// Swift does not import an array of unknown length.
const char *pcm_openapi_document_bytes(void);
extern const size_t pcm_openapi_document_length;
