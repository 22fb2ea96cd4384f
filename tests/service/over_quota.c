/* A used up quota of the disk: while the file that OVER_QUOTA names exists, nothing is written to files
   whose path holds what is in it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_over(int file) {
    char part[256] = "", link[64], path[4096] = "";
    const char *flag = getenv("OVER_QUOTA");
    int opened = flag ? open(flag, O_RDONLY) : -1;
    if (opened < 0) return 0;
    ssize_t length = read(opened, part, sizeof part - 1);
    close(opened);
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (length <= 0 || readlink(link, path, sizeof path - 1) < 0) return 0;
    return strstr(path, part) != NULL;
}

#define OVER(file) if (is_over(file)) { errno = EDQUOT; return -1; }
#define NEXT(name, ...) ((ssize_t (*)(int, const void *, size_t, ##__VA_ARGS__))dlsym(RTLD_NEXT, name))

ssize_t write(int file, const void *bytes, size_t length) {
    OVER(file)
    return NEXT("write")(file, bytes, length);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
    OVER(file)
    return NEXT("pwrite", off_t)(file, bytes, length, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
    OVER(file)
    return NEXT("pwrite64", off64_t)(file, bytes, length, at);
}
