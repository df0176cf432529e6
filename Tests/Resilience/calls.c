// Calls of libraries that can fail, for a process that is started with this library in LD_PRELOAD.
//
// The library counts the calls of one kind and lets one of them fail, as SQLite's and curl's own tests do:
//
//   file      a call for a file in a folder: a full disk, a defective one, or no more descriptors
//   resolver  the resolution of a name. Names that end with .example are those of this machine
//   curl      a call of libcurl that can fail for lack of memory
//   memory    an allocation by libcurl, in any of these calls
//
//   PCM_CALLS_KIND    one of these kinds
//   PCM_CALLS_FAIL    the number of the call that fails, from 1; 0 lets none fail
//   PCM_CALLS_FOLDER  the folder, as an absolute path without symbolic links
//   PCM_CALLS_STATE   an existing file of the size of `struct state`, which the library maps and writes

#define _GNU_SOURCE
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt

// failing_calls.py reads this structure.
struct state {
  _Atomic uint64_t calls;
  // The call that failed; empty before.
  char failed[504];
};

enum kind { NONE, FILES, RESOLVER, CURL_CALLS, MEMORY };

static enum kind kind;
static uint64_t failing;
static char folder[PATH_MAX];
static struct state *state;
static bool is_set_up;
// Whether this thread is within a call of libcurl, and in which.
static _Thread_local const char *within;

// A function of the next library, looked up at its first call.
#define REAL(name) REAL_AS(name, #name)
#define REAL_AS(name, symbol) \
  ({ \
    static __typeof__(&name) found; \
    if (!found) found = (__typeof__(&name))dlsym(RTLD_NEXT, symbol); \
    found; \
  })

// Other libraries may call before the constructor of this one.
__attribute__((constructor)) static void set_up(void) {
  if (is_set_up) return;
  is_set_up = true;
  const char *name = getenv("PCM_CALLS_KIND"), *number = getenv("PCM_CALLS_FAIL"), *path = getenv("PCM_CALLS_STATE");
  if (!name || !number || !path) return;
  snprintf(folder, sizeof folder, "%s", getenv("PCM_CALLS_FOLDER") ?: "");
  failing = strtoull(number, NULL, 10);
  int file = REAL_AS(open, "open64")(path, O_RDWR | O_CLOEXEC);
  void *memory = file < 0 ? MAP_FAILED : REAL_AS(mmap, "mmap64")(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    dprintf(2, "calls.c: cannot map PCM_CALLS_STATE\n");
    abort();
  }
  REAL(close)(file);
  state = memory;
  kind = !strcmp(name, "file")       ? FILES
         : !strcmp(name, "resolver") ? RESOLVER
         : !strcmp(name, "curl")     ? CURL_CALLS
         : !strcmp(name, "memory")   ? MEMORY
                                     : NONE;
}

// Counts a call. Returns whether it must fail.
static bool must_fail(enum kind of, const char *call, const char *about) {
  set_up();
  if (kind != of || atomic_fetch_add(&state->calls, 1) + 1 != failing) return false;
  snprintf(state->failed, sizeof state->failed, "%s %s", call, about);
  return true;
}

// ---- Files

static bool path_must_fail(const char *call, const char *path) {
  set_up();
  size_t length = strlen(folder);
  bool is_inside = kind == FILES && length && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
  return is_inside && must_fail(FILES, call, path + length);
}

static bool descriptor_must_fail(const char *call, int file) {
  set_up();
  if (kind != FILES) return false;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = 0;
  return path_must_fail(call, path);
}

#define FAIL_IF(condition, code, result) \
  if (condition) { \
    errno = code; \
    return result; \
  }

static int open_counted(int at, const char *path, int flags, mode_t mode) {
  FAIL_IF(path_must_fail("open", path), EMFILE, -1)
  return REAL_AS(openat, "openat64")(at, path, flags, mode);
}

#define MODE_OF(flags) \
  ({ \
    va_list arguments; \
    va_start(arguments, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments); \
    mode; \
  })

int open(const char *path, int flags, ...) { return open_counted(AT_FDCWD, path, flags, MODE_OF(flags)); }
int openat(int at, const char *path, int flags, ...) { return open_counted(at, path, flags, MODE_OF(flags)); }
int open64(const char *, int, ...) __attribute__((alias("open")));
int openat64(int, const char *, int, ...) __attribute__((alias("openat")));

FILE *fopen(const char *path, const char *mode) {
  FAIL_IF(path_must_fail("fopen", path), EMFILE, NULL)
  return REAL_AS(fopen, "fopen64")(path, mode);
}
FILE *fopen64(const char *, const char *) __attribute__((alias("fopen")));

ssize_t read(int file, void *bytes, size_t length) {
  FAIL_IF(descriptor_must_fail("read", file), EIO, -1)
  return REAL(read)(file, bytes, length);
}

ssize_t pread(int file, void *bytes, size_t length, off_t offset) {
  FAIL_IF(descriptor_must_fail("pread", file), EIO, -1)
  return REAL_AS(pread, "pread64")(file, bytes, length, offset);
}
ssize_t pread64(int, void *, size_t, off_t) __attribute__((alias("pread")));

ssize_t write(int file, const void *bytes, size_t length) {
  FAIL_IF(descriptor_must_fail("write", file), ENOSPC, -1)
  return REAL(write)(file, bytes, length);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
  FAIL_IF(descriptor_must_fail("pwrite", file), ENOSPC, -1)
  return REAL_AS(pwrite, "pwrite64")(file, bytes, length, offset);
}
ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));

int ftruncate(int file, off_t length) {
  FAIL_IF(descriptor_must_fail("ftruncate", file), ENOSPC, -1)
  return REAL_AS(ftruncate, "ftruncate64")(file, length);
}
int ftruncate64(int, off_t) __attribute__((alias("ftruncate")));

int fsync(int file) {
  FAIL_IF(descriptor_must_fail("fsync", file), EIO, -1)
  return REAL(fsync)(file);
}

int fdatasync(int file) {
  FAIL_IF(descriptor_must_fail("fdatasync", file), EIO, -1)
  return REAL(fdatasync)(file);
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  FAIL_IF(file >= 0 && descriptor_must_fail("mmap", file), ENOMEM, MAP_FAILED)
  return REAL_AS(mmap, "mmap64")(address, length, protection, flags, file, offset);
}
void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap")));

int rename(const char *from, const char *to) {
  FAIL_IF(path_must_fail("rename", from), ENOSPC, -1)
  return REAL(rename)(from, to);
}

int unlink(const char *path) {
  FAIL_IF(path_must_fail("unlink", path), EIO, -1)
  return REAL(unlink)(path);
}

int mkdir(const char *path, mode_t mode) {
  FAIL_IF(path_must_fail("mkdir", path), ENOSPC, -1)
  return REAL(mkdir)(path, mode);
}

// ---- Names

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  size_t length = name ? strlen(name) : 0;
  bool is_ours = length > 8 && !strcmp(name + length - 8, ".example");
  if (is_ours && must_fail(RESOLVER, "getaddrinfo", name)) return EAI_AGAIN;
  return REAL(getaddrinfo)(is_ours ? "127.0.0.1" : name, service, hints, found);
}

// ---- libcurl

static bool allocation_must_fail(void) { return within && must_fail(MEMORY, "an allocation in", within); }

static void *counted_malloc(size_t size) { return allocation_must_fail() ? NULL : malloc(size); }
static void *counted_realloc(void *memory, size_t size) { return allocation_must_fail() ? NULL : realloc(memory, size); }
static char *counted_strdup(const char *text) { return allocation_must_fail() ? NULL : strdup(text); }
static void *counted_calloc(size_t count, size_t size) { return allocation_must_fail() ? NULL : calloc(count, size); }

CURLcode curl_global_init(long flags) {
  set_up();
  if (kind != MEMORY) return REAL(curl_global_init)(flags);
  return curl_global_init_mem(flags, counted_malloc, free, counted_realloc, counted_strdup, counted_calloc);
}

// The result of a call of libcurl, which counts, and whose allocations count.
#define COUNTED(name, failure, ...) \
  ({ \
    __typeof__(REAL(name)(__VA_ARGS__)) result = failure; \
    if (!must_fail(CURL_CALLS, #name, "")) { \
      const char *outer = within; \
      within = #name; \
      result = REAL(name)(__VA_ARGS__); \
      within = outer; \
    } \
    result; \
  })

// Each of these takes a number or a pointer, which have the same size on 64-bit Linux.
#define VALUE_AFTER(last) \
  ({ \
    va_list arguments; \
    va_start(arguments, last); \
    void *value = va_arg(arguments, void *); \
    va_end(arguments); \
    value; \
  })

CURL *curl_easy_init(void) { return COUNTED(curl_easy_init, NULL); }

CURLcode curl_easy_setopt(CURL *handle, CURLoption option, ...) {
  void *value = VALUE_AFTER(option);
  return COUNTED(curl_easy_setopt, CURLE_OUT_OF_MEMORY, handle, option, value);
}

CURLcode curl_easy_getinfo(CURL *handle, CURLINFO info, ...) {
  void *value = VALUE_AFTER(info);
  return COUNTED(curl_easy_getinfo, CURLE_OUT_OF_MEMORY, handle, info, value);
}

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
  return COUNTED(curl_slist_append, NULL, list, text);
}

CURLSH *curl_share_init(void) { return COUNTED(curl_share_init, NULL); }

CURLSHcode curl_share_setopt(CURLSH *share, CURLSHoption option, ...) {
  void *value = VALUE_AFTER(option);
  return COUNTED(curl_share_setopt, CURLSHE_NOMEM, share, option, value);
}

CURLM *curl_multi_init(void) { return COUNTED(curl_multi_init, NULL); }

CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...) {
  void *value = VALUE_AFTER(option);
  return COUNTED(curl_multi_setopt, CURLM_OUT_OF_MEMORY, multi, option, value);
}

CURLMcode curl_multi_add_handle(CURLM *multi, CURL *handle) {
  return COUNTED(curl_multi_add_handle, CURLM_OUT_OF_MEMORY, multi, handle);
}

CURLMcode curl_multi_perform(CURLM *multi, int *running) {
  return COUNTED(curl_multi_perform, CURLM_OUT_OF_MEMORY, multi, running);
}

CURLMcode curl_multi_poll(CURLM *multi, struct curl_waitfd *others, unsigned int count, int timeout, int *active) {
  return COUNTED(curl_multi_poll, CURLM_OUT_OF_MEMORY, multi, others, count, timeout, active);
}
