#include "build.h"

const char *pcm_build_commit(void) { return PCM_COMMIT; }
