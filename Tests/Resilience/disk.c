// A disk that can lose power, for a process that is started with this library in LD_PRELOAD.
//
// The library records every change to the files in a folder, with the bytes before and after it, and every synchronization. After
// the process was killed, disk.py returns the folder to a state that a power loss could have left: changes since the last
// synchronization of their file or folder are undone, kept, or torn.
//
//   PCM_DISK_FOLDER      the folder, as an absolute path without symbolic links
//   PCM_DISK_RECORD      the file for the record; without it, nothing is recorded and the kernel synchronizes
//   PCM_DISK_SAVED       a folder on the same file system, which receives the removed files
//   PCM_DISK_KILL        NUMBER:before, NUMBER:torn, or NUMBER:after: the change or synchronization at which the process is killed
//   PCM_DISK_BREAK_SYNC  1: synchronizations have no effect, which a test of the test must detect
//
// Files whose names end with -shm are left out: SQLite maps them into memory and rebuilds them from the other files.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE = 1, TRUNCATE, SYNCHRONIZE, CREATE, RENAME, REMOVE };

// disk.py reads this structure.
struct entry {
  uint64_t kind;
  // The file, or the folder of a name.
  uint64_t inode;
  uint64_t offset;
  uint64_t size_before;
  // The bytes that follow: those before the change, then those after it. For names: the name, then the second name.
  uint64_t length_before;
  uint64_t length_after;
};

enum { DESCRIPTORS = 65536 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t inodes[DESCRIPTORS];
static char folder[PATH_MAX];
static char saved[PATH_MAX];
static int record = -1;
static bool breaks_sync;
static uint64_t operations, saved_count, kill_at;
static enum { BEFORE, TORN, AFTER } kill_mode;

static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_rename)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_mkdir)(const char *, mode_t);

static void find_calls(void) {
  real_open = dlsym(RTLD_NEXT, "open64");
  real_openat = dlsym(RTLD_NEXT, "openat64");
  real_close = dlsym(RTLD_NEXT, "close");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_write = dlsym(RTLD_NEXT, "write");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_mkdir = dlsym(RTLD_NEXT, "mkdir");
}

static void stop(const char *what) {
  dprintf(2, "disk.c: %s\n", what);
  abort();
}

// Other libraries may call before the constructor of this one.
__attribute__((constructor)) static void set_up(void) {
  if (real_open) return;
  find_calls();
  const char *text = getenv("PCM_DISK_FOLDER");
  if (!text) return;
  snprintf(folder, sizeof folder, "%s", text);
  if ((text = getenv("PCM_DISK_RECORD"))) {
    record = real_open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (record < 0) stop("cannot open PCM_DISK_RECORD");
  }
  if ((text = getenv("PCM_DISK_SAVED"))) snprintf(saved, sizeof saved, "%s", text);
  if ((text = getenv("PCM_DISK_KILL"))) {
    char mode[16] = "";
    if (sscanf(text, "%lu:%15s", &kill_at, mode) != 2) stop("cannot read PCM_DISK_KILL");
    kill_mode = !strcmp(mode, "before") ? BEFORE : !strcmp(mode, "torn") ? TORN : AFTER;
  }
  breaks_sync = getenv("PCM_DISK_BREAK_SYNC") != NULL;
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

// Counts an operation, and kills the process if it is its turn. Returns whether the process is killed within or after it.
static bool is_last(void) {
  if (++operations != kill_at) return false;
  if (kill_mode == BEFORE) die();
  return true;
}

static bool is_inside(const char *path) {
  size_t length = strlen(folder);
  return length && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static bool is_shared_memory(const char *path) {
  size_t length = strlen(path);
  return length >= 4 && !strcmp(path + length - 4, "-shm");
}

static uint64_t inode_of(int file) {
  return file >= 0 && file < DESCRIPTORS ? __atomic_load_n(&inodes[file], __ATOMIC_RELAXED) : 0;
}

// An entry that is cut off at the end of the record belongs to an operation that did not happen.
static void append(struct entry entry, const void *before, const void *after) {
  if (record < 0) return;
  struct iovec parts[] = {
    {&entry, sizeof entry}, {(void *)before, entry.length_before}, {(void *)after, entry.length_after},
  };
  size_t all = sizeof entry + entry.length_before + entry.length_after;
  if (syscall(SYS_writev, record, parts, 3) != (ssize_t)all) stop("cannot write the record");
}

// Separates a path into the inode of its folder and its name.
static uint64_t parent_of(const char *path, const char **name) {
  char parent[PATH_MAX];
  snprintf(parent, sizeof parent, "%s", path);
  char *slash = strrchr(parent, '/');
  if (!slash) return 0;
  *name = path + (slash - parent) + 1;
  *slash = 0;
  struct stat status;
  return stat(parent, &status) ? 0 : status.st_ino;
}

static void append_name(enum kind kind, const char *path, const char *second) {
  const char *name = NULL;
  uint64_t inode = parent_of(path, &name);
  if (!inode) return;
  struct entry entry = {kind, inode, 0, 0, strlen(name), second ? strlen(second) : 0};
  append(entry, name, second);
}

// Notices a file that was opened, and records its name if the call created it.
static int opened(int file, bool existed) {
  if (file < 0 || file >= DESCRIPTORS || !*folder) return file;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  struct stat status;
  bool is_watched = is_inside(path) && !is_shared_memory(path) && !fstat(file, &status);
  __atomic_store_n(&inodes[file], is_watched ? status.st_ino : 0, __ATOMIC_RELAXED);
  if (is_watched && !existed) {
    pthread_mutex_lock(&lock);
    append_name(CREATE, path, NULL);
    pthread_mutex_unlock(&lock);
  }
  return file;
}

static mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

static int open_watched(int at, const char *path, int flags, mode_t mode) {
  set_up();
  struct stat status;
  bool existed = !(flags & O_CREAT) || !fstatat(at, path, &status, 0);
  return opened(real_openat(at, path, flags, mode), existed);
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_watched(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_watched(at, path, flags, mode);
}

int open64(const char *, int, ...) __attribute__((alias("open")));
int openat64(int, const char *, int, ...) __attribute__((alias("openat")));

int close(int file) {
  set_up();
  if (inode_of(file)) __atomic_store_n(&inodes[file], 0, __ATOMIC_RELAXED);
  return real_close(file);
}

// Returns the bytes that a change replaces. The caller frees them.
static char *bytes_before(int file, off_t offset, size_t length, uint64_t *size, uint64_t *count) {
  struct stat status;
  if (fstat(file, &status)) stop("cannot read the size of a file");
  *size = status.st_size;
  *count = offset >= status.st_size ? 0 : (uint64_t)(status.st_size - offset);
  if (*count > length) *count = length;
  char *bytes = malloc(*count ? *count : 1);
  // A second descriptor is not possible: when it is closed, the process loses SQLite's locks on the file.
  if (*count && pread(file, bytes, *count, offset) != (ssize_t)*count) stop("cannot read a file");
  return bytes;
}

static ssize_t write_watched(int file, const void *bytes, size_t length, off_t offset) {
  pthread_mutex_lock(&lock);
  bool is_killed = is_last();
  if (record >= 0) {
    struct entry entry = {WRITE, inode_of(file), offset, 0, 0, length};
    char *before = bytes_before(file, offset, length, &entry.size_before, &entry.length_before);
    append(entry, before, bytes);
    free(before);
  }
  if (is_killed && kill_mode == TORN) length /= 2;
  ssize_t result = real_pwrite(file, bytes, length, offset);
  if (is_killed) die();
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
  set_up();
  return inode_of(file) ? write_watched(file, bytes, length, offset) : real_pwrite(file, bytes, length, offset);
}

ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));

ssize_t write(int file, const void *bytes, size_t length) {
  set_up();
  if (!inode_of(file)) return real_write(file, bytes, length);
  int flags = fcntl(file, F_GETFL);
  off_t offset = lseek(file, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
  ssize_t result = write_watched(file, bytes, length, offset);
  if (result > 0) lseek(file, offset + result, SEEK_SET);
  return result;
}

int ftruncate(int file, off_t length) {
  set_up();
  if (!inode_of(file)) return real_ftruncate(file, length);
  pthread_mutex_lock(&lock);
  bool is_killed = is_last();
  if (record >= 0) {
    struct entry entry = {TRUNCATE, inode_of(file), length, 0, 0, 0};
    char *before = bytes_before(file, length, SIZE_MAX, &entry.size_before, &entry.length_before);
    append(entry, before, NULL);
    free(before);
  }
  int result = real_ftruncate(file, length);
  if (is_killed) die();
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate64(int, off_t) __attribute__((alias("ftruncate")));

// The record takes the place of the kernel's synchronization, which the death of a process does not need.
static int synchronize(int file, int (*real)(int)) {
  uint64_t inode = inode_of(file);
  if (!inode) return real(file);
  pthread_mutex_lock(&lock);
  bool is_killed = is_last();
  int result = 0;
  if (breaks_sync) {
  } else if (record >= 0) {
    append((struct entry){.kind = SYNCHRONIZE, .inode = inode}, NULL, NULL);
  } else {
    result = real(file);
  }
  if (is_killed) die();
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int file) {
  set_up();
  return synchronize(file, real_fsync);
}

int fdatasync(int file) {
  set_up();
  return synchronize(file, real_fdatasync);
}

// Keeps a second name of a file, so that a power loss can return it.
static const char *save(const char *path, char *name, size_t size) {
  if (!*saved) return NULL;
  char target[PATH_MAX * 2];
  snprintf(name, size, "%lu", ++saved_count);
  snprintf(target, sizeof target, "%s/%s", saved, name);
  return link(path, target) ? NULL : name;
}

int rename(const char *from, const char *to) {
  set_up();
  if (!is_inside(from) || !is_inside(to)) return real_rename(from, to);
  pthread_mutex_lock(&lock);
  bool is_killed = is_last();
  char name[32];
  const char *replaced = save(to, name, sizeof name);
  // A rename is two entries: the removal of a replaced file, and the change of the name within one folder.
  if (replaced) append_name(REMOVE, to, replaced);
  append_name(RENAME, from, strrchr(to, '/') + 1);
  int result = real_rename(from, to);
  if (is_killed) die();
  pthread_mutex_unlock(&lock);
  return result;
}

int unlink(const char *path) {
  set_up();
  if (!is_inside(path) || is_shared_memory(path)) return real_unlink(path);
  pthread_mutex_lock(&lock);
  bool is_killed = is_last();
  char name[32];
  const char *kept = save(path, name, sizeof name);
  if (kept) append_name(REMOVE, path, kept);
  int result = real_unlink(path);
  if (is_killed) die();
  pthread_mutex_unlock(&lock);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  set_up();
  int result = real_mkdir(path, mode);
  if (result || !is_inside(path)) return result;
  pthread_mutex_lock(&lock);
  bool is_killed = is_last();
  append_name(CREATE, path, NULL);
  if (is_killed) die();
  pthread_mutex_unlock(&lock);
  return 0;
}
