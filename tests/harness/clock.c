/* Stands between a program and the clock on the wall: MOVED_CLOCK names a file
   whose first eight bytes are the seconds by which it is ahead. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *moved;

__attribute__((constructor)) static void open_it(void) {
    const char *name = getenv("MOVED_CLOCK");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    void *page = file < 0 ? MAP_FAILED : mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (page != MAP_FAILED) moved = page;
}

int clock_gettime(clockid_t id, struct timespec *time) {
    int failed = (int)syscall(SYS_clock_gettime, id, time);
    if (!failed && moved && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        time->tv_sec += *moved;
    return failed;
}

time_t time(time_t *also) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (also) *also = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}
