//! The owner's session: who shows notifications in it, whether it has a tray,
//! and which colours it asks for.

#[cfg(target_os = "linux")]
mod colour_scheme;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub(super) use linux::Session;
#[cfg(not(target_os = "linux"))]
pub(super) use other::Session;
