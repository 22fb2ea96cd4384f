//! The owner's session: who shows notifications in it, and whether it has a
//! tray.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub(super) use linux::Session;
#[cfg(not(target_os = "linux"))]
pub(super) use other::Session;
