//! Memory that conversions have freed goes back to the system. glibc keeps what its threads free,
//! which is some hundred megabytes after large images.

#![allow(
    unsafe_code,
    reason = "malloc_trim is a function of C, and the standard library has nothing like it"
)]

/// Returns free memory to the system, which takes milliseconds. Does nothing without glibc.
pub(super) fn return_to_system() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it may be called at any time on any thread, and touches only free memory.
    unsafe {
        libc::malloc_trim(0);
    }
}
