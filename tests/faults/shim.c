/* Makes the calls that change files below one folder fail, and keeps a log of them.

A library for LD_PRELOAD. It counts calls that write, sync, truncate, create, rename, link or remove below the folder.
`faults_arm` makes one of them fail, and `faults_log` appends what each did to a file, from which disk.py makes the
folder as it was after any of them. All other calls pass unchanged. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
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

_Static_assert(sizeof(long) == 8, "offsets are passed to the system as they are");

enum mode { OFF, ONCE, FROM_NOW_ON, SHORT, KILL }; /* the same numbers as in shim.py */
enum verdict { PASS, HALF, FAIL };

typedef char path_t[PATH_MAX];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static path_t folder;
static size_t folder_length;
static int log_descriptor = -1;
static long calls, failed, target;
static enum mode mode;
static int error_number;

/* Counts the calls below a folder from zero, and makes none of them fail. */
void faults_watch(const char *path) {
    snprintf(folder, sizeof folder, "%s", path);
    folder_length = strlen(folder);
    calls = failed = 0;
    mode = OFF;
}

/* Makes the call of a number fail, counted from one and from now. */
void faults_arm(long number, int how, int error) {
    calls = failed = 0;
    target = number;
    error_number = error;
    mode = (enum mode)how;
}

void faults_log(int descriptor) { log_descriptor = descriptor; }
long faults_calls(void) { return calls; }
long faults_failed(void) { return failed; }

/* Whether a file is in the folder, or the folder; `path` becomes its absolute path. */
static bool is_watched(int directory, const char *name, path_t path) {
    path_t base = "", link;
    if (!folder_length || !name) return false;
    if (name[0] != '/') {
        if (directory == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) return false;
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
            ssize_t length = readlink(link, base, sizeof base - 1);
            if (length < 0) return false;
            base[length] = 0;
        }
    }
    int length = snprintf(path, PATH_MAX, "%s%s%s", base, *base && *name ? "/" : "", name);
    if (length >= PATH_MAX || strncmp(path, folder, folder_length)) return false;
    return path[folder_length] == '/' || !path[folder_length];
}

static bool is_watched_file(int descriptor, path_t path) { return is_watched(descriptor, "", path); }

/* Counts a call and decides what becomes of it; `grows` means that it needs room on the disk. */
static enum verdict judge(bool grows, bool writes) {
    calls++;
    if (mode == OFF || calls < target) return PASS;
    bool is_target = calls == target;
    if (is_target && mode == KILL) _exit(137);
    if (is_target && writes && (mode == SHORT || mode == FROM_NOW_ON)) {
        failed++;
        return HALF;
    }
    if (mode == SHORT || (mode == ONCE && !is_target) || (mode == FROM_NOW_ON && !grows)) return PASS;
    failed++;
    errno = error_number;
    return FAIL;
}

static void put(const void *data, size_t size) {
    for (const char *from = data; size > 0;) {
        ssize_t written = syscall(SYS_write, log_descriptor, from, size);
        if (written < 0) abort();
        from += written, size -= (size_t)written;
    }
}

/* Appends a call that succeeded to the log; `data` are the bytes that it wrote. */
static void note(char what, const char *path, const char *other, int64_t offset, const void *data, size_t size) {
    if (log_descriptor < 0) return;
    int saved = errno;
    struct { int64_t what, path, other, offset, size; } head = {
        what, (int64_t)strlen(path), (int64_t)strlen(other), offset, (int64_t)size};
    put(&head, sizeof head);
    put(path, strlen(path));
    put(other, strlen(other));
    put(data, size);
    errno = saved;
}

static ssize_t write_now(int descriptor, const void *data, size_t size, off64_t offset) {
    if (offset < 0) return syscall(SYS_write, descriptor, data, size);
    return syscall(SYS_pwrite64, descriptor, data, size, offset);
}

/* Writes at an offset, or where the file is if that is negative. */
static ssize_t write_bytes(int descriptor, const void *data, size_t size, off64_t offset) {
    path_t path;
    if (!is_watched_file(descriptor, path)) return write_now(descriptor, data, size, offset);
    pthread_mutex_lock(&lock);
    enum verdict verdict = judge(true, size > 1);
    ssize_t written = -1;
    if (verdict != FAIL) written = write_now(descriptor, data, verdict == HALF ? size / 2 : size, offset);
    if (written > 0) {
        off64_t begin = offset < 0 ? lseek64(descriptor, 0, SEEK_CUR) - written : offset;
        note('w', path, "", begin, data, (size_t)written);
    }
    pthread_mutex_unlock(&lock);
    return written;
}

ssize_t write(int descriptor, const void *data, size_t size) { return write_bytes(descriptor, data, size, -1); }

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) {
    return write_bytes(descriptor, data, size, offset);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) {
    return write_bytes(descriptor, data, size, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    size_t size = 0;
    for (int part = 0; part < count; part++) size += parts[part].iov_len;
    char *data = malloc(size ? size : 1), *end = data;
    if (!data) return -1;
    for (int part = 0; part < count; part++) {
        memcpy(end, parts[part].iov_base, parts[part].iov_len);
        end += parts[part].iov_len;
    }
    ssize_t written = write_bytes(descriptor, data, size, -1);
    free(data);
    return written;
}

/* Runs an expression, the system call, unless that must fail, and keeps it in the log. */
#define CALL(watched, grows, what, path, other, offset, call) \
    do { \
        if (!(watched)) return (int)(call); \
        pthread_mutex_lock(&lock); \
        int result = judge(grows, false) == FAIL ? -1 : (int)(call); \
        if (result >= 0) note(what, path, other, offset, "", 0); \
        pthread_mutex_unlock(&lock); \
        return result; \
    } while (0)

/* Nothing waits for the disk: what would survive a power cut is known from the log. */
int fsync(int descriptor) {
    path_t path;
    CALL(is_watched_file(descriptor, path), true, 's', path, "", 0, 0);
}

int fdatasync(int descriptor) { return fsync(descriptor); }

int ftruncate64(int descriptor, off64_t size) {
    path_t path;
    struct stat64 now;
    bool grows = fstat64(descriptor, &now) == 0 && size > now.st_size;
    CALL(is_watched_file(descriptor, path), grows, 't', path, "", size,
         syscall(SYS_ftruncate, descriptor, size));
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

/* Opening counts if it creates or empties a file. */
static int open_file(int directory, const char *name, int flags, mode_t permissions) {
    path_t path;
    bool watched = (flags & (O_CREAT | O_TRUNC)) && is_watched(directory, name, path);
    bool creates = watched && (flags & O_CREAT) && access(path, F_OK) != 0;
    CALL(watched && (creates || (flags & O_TRUNC)), creates, 'o', path, "", 0,
         syscall(SYS_openat, directory, name, flags, permissions));
}

#define PERMISSIONS(flags) \
    mode_t permissions = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        permissions = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *name, int flags, ...) {
    PERMISSIONS(flags)
    return open_file(AT_FDCWD, name, flags, permissions);
}

int open64(const char *name, int flags, ...) {
    PERMISSIONS(flags)
    return open_file(AT_FDCWD, name, flags | O_LARGEFILE, permissions);
}

int openat(int directory, const char *name, int flags, ...) {
    PERMISSIONS(flags)
    return open_file(directory, name, flags, permissions);
}

int openat64(int directory, const char *name, int flags, ...) {
    PERMISSIONS(flags)
    return open_file(directory, name, flags | O_LARGEFILE, permissions);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    path_t path, other;
    bool watched = is_watched(from, old, path) & is_watched(to, new, other);
    CALL(watched, false, 'r', path, other, 0,
         syscall(SYS_renameat2, from, old, to, new, flags));
}

int renameat(int from, const char *old, int to, const char *new) { return renameat2(from, old, to, new, 0); }
int rename(const char *old, const char *new) { return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0); }

int linkat(int from, const char *old, int to, const char *new, int flags) {
    path_t path, other;
    bool watched = is_watched(from, old, path) & is_watched(to, new, other);
    CALL(watched, true, 'l', path, other, 0,
         syscall(SYS_linkat, from, old, to, new, flags));
}

int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }

int unlinkat(int directory, const char *name, int flags) {
    path_t path;
    CALL(is_watched(directory, name, path) && faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0, false, 'u',
         path, "", 0, syscall(SYS_unlinkat, directory, name, flags));
}

int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdirat(int directory, const char *name, mode_t permissions) {
    path_t path;
    CALL(is_watched(directory, name, path) && access(path, F_OK) != 0, true, 'm', path, "", 0,
         syscall(SYS_mkdirat, directory, name, permissions));
}

int mkdir(const char *name, mode_t permissions) { return mkdirat(AT_FDCWD, name, permissions); }
