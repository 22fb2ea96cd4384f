//! Memory that was held for readers goes back to the system. glibc keeps what its threads free, which is
//! some ten megabytes after hundreds of slow readers.

#![allow(
    unsafe_code,
    reason = "mallopt and malloc_trim are functions of C, and the standard library has nothing like them"
)]

/// Lets all threads share one heap. [`return_free_memory`] cannot return the end of the heaps that
/// glibc makes for threads. To be called before a second thread starts; does nothing without glibc.
pub fn share_among_threads() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it only sets a number that glibc reads when a thread needs a heap.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Returns free memory to the system, which takes milliseconds. Does nothing without glibc.
pub(crate) fn return_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it may be called at any time on any thread, and touches only free memory.
    unsafe {
        libc::malloc_trim(0);
    }
}
