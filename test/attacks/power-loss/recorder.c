/*
 * Records what a process writes below a directory, and what it has synced, so that a power loss can be played
 * afterwards (disk-image.ts). Preloaded with LD_PRELOAD:
 *
 *   POWER_LOSS_ROOT   the directory to watch; it exists when the process starts
 *   POWER_LOSS_LOG    the file that gets the records
 *
 * The power goes when there is a file POWER_LOSS_LOG.off: the process kills itself between two records, so that its files
 * are as its records say.
 *
 * A record is `struct record`, then two byte strings (data or paths). A sync has two records: writes that were recorded
 * before its start are durable once its end is there. System calls are made directly, so nothing here calls itself.
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum type { CREATE = 1, WRITE, TRUNCATE, DURABLE, SYNC_START, SYNC_END, RENAME, UNLINK, LINK, MKDIR, SYMLINK, MAPPED };

struct record {
  uint32_t magic, type;
  uint64_t time, inode, offset, id;
  uint32_t first_bytes, second_bytes;
};

#define MAGIC 0x4c52574fu
#define MOST_FILES 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;
static char root[PATH_MAX];
static size_t root_length;
static uint64_t last_id;
/* The inode of each descriptor that belongs to a watched file or directory; 0 for all others. */
static uint64_t inodes[MOST_FILES];
static int flags_of[MOST_FILES];
static long (*real_syscall)(long, ...);

static void *wait_for_power_loss(void *path) {
  struct timespec pause = {0, 1000000};
  while (real_syscall(SYS_access, path, F_OK) != 0) nanosleep(&pause, NULL);
  pthread_mutex_lock(&lock);
  kill(getpid(), SIGKILL);
  return NULL;
}

__attribute__((constructor)) static void start(void) {
  real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  const char *directory = getenv("POWER_LOSS_ROOT"), *path = getenv("POWER_LOSS_LOG");
  if (!directory || !path || !realpath(directory, root)) return;
  root_length = strlen(root);
  log_file = (int)real_syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  static char off[PATH_MAX];
  snprintf(off, sizeof off, "%s.off", path);
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_power_loss, off);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void note(struct record record, const void *first, const void *second) {
  int saved = errno;
  record.magic = MAGIC;
  record.time = now();
  struct iovec parts[3] = {
      {&record, sizeof record}, {(void *)first, record.first_bytes}, {(void *)second, record.second_bytes}};
  if (real_syscall(SYS_writev, log_file, parts, 3) < 0) abort();
  errno = saved;
}

/* The absolute path, when it is below the root. The path itself need not exist, its folder does. */
static int watched(int folder, const char *path, char *absolute) {
  if (log_file < 0 || !path) return 0;
  char joined[PATH_MAX * 2], link[64];
  if (path[0] == '/') snprintf(joined, sizeof joined, "%s", path);
  else {
    char base[PATH_MAX];
    if (folder == AT_FDCWD) {
      if (real_syscall(SYS_getcwd, base, sizeof base) < 0) return 0;
    } else {
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      long length = real_syscall(SYS_readlink, link, base, sizeof base - 1);
      if (length < 0) return 0;
      base[length] = 0;
    }
    snprintf(joined, sizeof joined, "%s/%s", base, path);
  }
  size_t length = strlen(joined);
  while (length > 1 && joined[length - 1] == '/') joined[--length] = 0;
  if (strncmp(joined, root, root_length) != 0 || (joined[root_length] != '/' && joined[root_length] != 0)) return 0;
  if (length >= PATH_MAX) return 0;
  memcpy(absolute, joined, length + 1);
  return 1;
}

static uint64_t inode_at(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 ? found.st_ino : 0;
}

/* The inode of a watched descriptor. A number may have gone to another file meanwhile: libuv closes without libc. */
static uint64_t inode_of(int file) {
  if (log_file < 0 || file < 0 || file >= MOST_FILES || inodes[file] == 0) return 0;
  struct stat found;
  if (fstat(file, &found) == 0 && found.st_ino == inodes[file] && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) {
    return inodes[file];
  }
  inodes[file] = 0;
  return 0;
}

static int opened(int folder, const char *path, int flags, mode_t mode) {
  char absolute[PATH_MAX];
  if (!watched(folder, path, absolute)) {
    int file = (int)real_syscall(SYS_openat, folder, path, flags, mode);
    if (file >= 0 && file < MOST_FILES) inodes[file] = 0;
    return file;
  }
  pthread_mutex_lock(&lock);
  struct stat before;
  int existed = stat(absolute, &before) == 0;
  int file = (int)real_syscall(SYS_openat, folder, path, flags, mode);
  if (file >= 0 && file < MOST_FILES) {
    struct stat found;
    fstat(file, &found);
    inodes[file] = found.st_ino;
    flags_of[file] = flags;
    if (!existed && (flags & O_CREAT)) {
      note((struct record){.type = CREATE, .inode = found.st_ino, .offset = found.st_mode, .first_bytes = strlen(absolute)},
           absolute, NULL);
    } else if (existed && (flags & O_TRUNC) && S_ISREG(found.st_mode)) {
      note((struct record){.type = TRUNCATE, .inode = found.st_ino}, NULL, NULL);
    }
  }
  pthread_mutex_unlock(&lock);
  return file;
}

#define OPEN(name)                                  \
  int name(const char *path, int flags, ...) {      \
    mode_t mode = 0;                                \
    if (flags & (O_CREAT | O_TMPFILE)) {            \
      va_list rest;                                 \
      va_start(rest, flags);                        \
      mode = va_arg(rest, mode_t);                  \
      va_end(rest);                                 \
    }                                               \
    return opened(AT_FDCWD, path, flags, mode);     \
  }
#define OPENAT(name)                                           \
  int name(int folder, const char *path, int flags, ...) {     \
    mode_t mode = 0;                                           \
    if (flags & (O_CREAT | O_TMPFILE)) {                       \
      va_list rest;                                            \
      va_start(rest, flags);                                   \
      mode = va_arg(rest, mode_t);                             \
      va_end(rest);                                            \
    }                                                          \
    return opened(folder, path, flags, mode);                  \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int close(int file) {
  if (file >= 0 && file < MOST_FILES) inodes[file] = 0;
  return (int)real_syscall(SYS_close, file);
}

/* Called with the lock held, after the bytes have been written. */
static void note_write(int file, uint64_t inode, off_t at, const struct iovec *parts, int count, size_t written) {
  char *bytes = malloc(written ? written : 1);
  size_t copied = 0;
  for (int i = 0; i < count && copied < written; i++) {
    size_t some = parts[i].iov_len < written - copied ? parts[i].iov_len : written - copied;
    memcpy(bytes + copied, parts[i].iov_base, some);
    copied += some;
  }
  uint64_t id = ++last_id;
  note((struct record){.type = WRITE, .inode = inode, .offset = (uint64_t)at, .id = id, .first_bytes = written}, bytes, NULL);
  /* O_SYNC includes the bits of O_DSYNC: the write is on the disk when it returns. */
  if (flags_of[file] & O_DSYNC) note((struct record){.type = DURABLE, .inode = inode, .id = id}, NULL, NULL);
  free(bytes);
}

static ssize_t written(int file, const struct iovec *parts, int count, off_t at) {
  uint64_t inode = inode_of(file);
  if (inode == 0) {
    return at < 0 ? real_syscall(SYS_writev, file, parts, count) : real_syscall(SYS_pwritev, file, parts, count, at, 0);
  }
  pthread_mutex_lock(&lock);
  off_t position = at;
  if (at < 0) {
    position = (flags_of[file] & O_APPEND) ? real_syscall(SYS_lseek, file, 0, SEEK_END) : real_syscall(SYS_lseek, file, 0, SEEK_CUR);
  }
  ssize_t result =
      at < 0 ? real_syscall(SYS_writev, file, parts, count) : real_syscall(SYS_pwritev, file, parts, count, at, 0);
  if (result > 0) note_write(file, inode, position, parts, count, (size_t)result);
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t write(int file, const void *bytes, size_t length) {
  if (inode_of(file) == 0) return real_syscall(SYS_write, file, bytes, length);
  struct iovec part = {(void *)bytes, length};
  return written(file, &part, 1, -1);
}
ssize_t writev(int file, const struct iovec *parts, int count) { return written(file, parts, count, -1); }
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  struct iovec part = {(void *)bytes, length};
  return written(file, &part, 1, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) { return pwrite(file, bytes, length, at); }
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) { return written(file, parts, count, at); }
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) { return written(file, parts, count, at); }

int ftruncate(int file, off_t length) {
  uint64_t inode = inode_of(file);
  if (inode == 0) return (int)real_syscall(SYS_ftruncate, file, length);
  pthread_mutex_lock(&lock);
  int result = (int)real_syscall(SYS_ftruncate, file, length);
  if (result == 0) note((struct record){.type = TRUNCATE, .inode = inode, .offset = (uint64_t)length}, NULL, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}
int ftruncate64(int file, off64_t length) { return ftruncate(file, length); }

static int synced(int file, long call) {
  uint64_t inode = inode_of(file);
  if (inode == 0) return (int)real_syscall(call, file);
  pthread_mutex_lock(&lock);
  uint64_t id = ++last_id;
  note((struct record){.type = SYNC_START, .inode = inode, .id = id}, NULL, NULL);
  pthread_mutex_unlock(&lock);
  int result = (int)real_syscall(call, file);
  pthread_mutex_lock(&lock);
  if (result == 0) note((struct record){.type = SYNC_END, .inode = inode, .id = id}, NULL, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}
int fsync(int file) { return synced(file, SYS_fsync); }
int fdatasync(int file) { return synced(file, SYS_fdatasync); }

/* What is written through memory is not seen: such a file is named, and may hold anything. */
void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t at) {
  uint64_t inode = inode_of(file);
  if (inode != 0 && (protection & PROT_WRITE) && (flags & MAP_SHARED)) {
    pthread_mutex_lock(&lock);
    note((struct record){.type = MAPPED, .inode = inode}, NULL, NULL);
    pthread_mutex_unlock(&lock);
  }
  return (void *)real_syscall(SYS_mmap, address, length, protection, flags, file, at);
}
void *mmap(void *address, size_t length, int protection, int flags, int file, off_t at) {
  return mmap64(address, length, protection, flags, file, at);
}

static int two_paths(enum type type, int folder, const char *from, int to_folder, const char *to, long flags) {
  char source[PATH_MAX], target[PATH_MAX];
  int one = type == SYMLINK ? 0 : watched(folder, from, source), two = watched(to_folder, to, target);
  long call = type == RENAME ? SYS_renameat2 : type == LINK ? SYS_linkat : SYS_symlinkat;
  pthread_mutex_lock(&lock);
  uint64_t inode = one ? inode_at(source) : 0;
  int result = (int)(type == SYMLINK ? real_syscall(call, from, to_folder, to) : real_syscall(call, folder, from, to_folder, to, flags));
  if (result == 0 && two && (one || type == SYMLINK)) {
    const char *first = type == SYMLINK ? from : source;
    note((struct record){.type = type, .inode = inode ? inode : inode_at(target), .first_bytes = strlen(first), .second_bytes = strlen(target)},
         first, target);
  } else if (result == 0 && (one || two)) {
    abort(); /* Moving files into or out of the directory is not recorded. */
  }
  pthread_mutex_unlock(&lock);
  return result;
}
int rename(const char *from, const char *to) { return two_paths(RENAME, AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int folder, const char *from, int target, const char *to) { return two_paths(RENAME, folder, from, target, to, 0); }
int link(const char *from, const char *to) { return two_paths(LINK, AT_FDCWD, from, AT_FDCWD, to, 0); }
int symlink(const char *from, const char *to) { return two_paths(SYMLINK, AT_FDCWD, from, AT_FDCWD, to, 0); }

static int removed(int folder, const char *path, int flags) {
  char absolute[PATH_MAX];
  if (!watched(folder, path, absolute)) return (int)real_syscall(SYS_unlinkat, folder, path, flags);
  pthread_mutex_lock(&lock);
  int result = (int)real_syscall(SYS_unlinkat, folder, path, flags);
  if (result == 0) note((struct record){.type = UNLINK, .first_bytes = strlen(absolute)}, absolute, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}
int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return removed(folder, path, flags); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }
/* C++ removes files with this: newer versions of Node do so. */
int remove(const char *path) {
  int result = unlink(path);
  return result != 0 && errno == EISDIR ? rmdir(path) : result;
}

static int made(const char *path, mode_t mode) {
  char absolute[PATH_MAX];
  if (!watched(AT_FDCWD, path, absolute)) return (int)real_syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  pthread_mutex_lock(&lock);
  int result = (int)real_syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  if (result == 0) {
    note((struct record){.type = MKDIR, .inode = inode_at(absolute), .offset = mode, .first_bytes = strlen(absolute)}, absolute, NULL);
  }
  pthread_mutex_unlock(&lock);
  return result;
}
int mkdir(const char *path, mode_t mode) { return made(path, mode); }

char *mkdtemp(char *template) {
  size_t length = strlen(template);
  for (unsigned attempt = 0; attempt < 1000; attempt++) {
    char name[16];
    snprintf(name, sizeof name, "%06x", (unsigned)(now() >> 4) & 0xffffff);
    memcpy(template + length - 6, name, 6);
    if (made(template, 0700) == 0) return template;
    if (errno != EEXIST) return NULL;
  }
  return NULL;
}

/* libuv copies files with this, without libc's functions: what was copied is read back. */
long syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long), e = va_arg(rest, long),
       f = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_close && a >= 0 && a < MOST_FILES) inodes[a] = 0;
  if (number != SYS_copy_file_range || inode_of((int)c) == 0) return real_syscall(number, a, b, c, d, e, f);
  pthread_mutex_lock(&lock);
  uint64_t inode = inode_of((int)c);
  off_t at = d ? *(off_t *)d : real_syscall(SYS_lseek, (int)c, 0, SEEK_CUR);
  long result = real_syscall(number, a, b, c, d, e, f);
  if (result > 0) {
    struct iovec part = {malloc((size_t)result), (size_t)result};
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%ld", c);
    int again = (int)real_syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
    if (real_syscall(SYS_pread64, again, part.iov_base, part.iov_len, at) != result) abort();
    real_syscall(SYS_close, again);
    note_write((int)c, inode, at, &part, 1, (size_t)result);
    free(part.iov_base);
  }
  pthread_mutex_unlock(&lock);
  return result;
}
