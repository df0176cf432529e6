#include <stddef.h>

/// The script and the style sheet of Swagger UI, as they lie beside the source. Functions, because Swift does not import
/// arrays of unknown length.
const char *pcm_swagger_ui_script_bytes(void);
extern const size_t pcm_swagger_ui_script_length;
const char *pcm_swagger_ui_style_bytes(void);
extern const size_t pcm_swagger_ui_style_length;
