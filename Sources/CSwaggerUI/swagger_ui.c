#include "swagger_ui.h"

static const char script[] = {
#embed "swagger-ui-bundle.js"
};

static const char style[] = {
#embed "swagger-ui.css"
};

const size_t pcm_swagger_ui_script_length = sizeof script;
const size_t pcm_swagger_ui_style_length = sizeof style;

const char *pcm_swagger_ui_script_bytes(void) { return script; }
const char *pcm_swagger_ui_style_bytes(void) { return style; }
