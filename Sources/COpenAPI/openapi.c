#include "openapi.h"

static const char document[] = {
#embed "openapi.json"
};

const size_t pcm_openapi_document_length = sizeof document;

const char *pcm_openapi_document_bytes(void) { return document; }
