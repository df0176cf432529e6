#pragma once

/// The commit that the program is built from, shortened, or an empty text: `scripts/build-release` names it.
const char *pcm_build_commit(void);
