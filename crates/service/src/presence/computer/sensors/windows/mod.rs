//! The sensors of Windows: announcements and looks at windows, input and the session on one thread,
//! media and sleep in tasks.
//!
//! [`readings`] is what they mean, and is tested on every system.

#[cfg(windows)]
mod media;
#[cfg(windows)]
mod program;
mod readings;
#[cfg(windows)]
mod sensor;
#[cfg(all(windows, test))]
mod tests;
#[cfg(windows)]
mod watch;
#[cfg(windows)]
mod window;

#[cfg(windows)]
pub(super) use sensor::open;
