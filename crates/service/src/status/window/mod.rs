//! What the window shows, and the events it gets while it is open: one file for
//! each of its pages.
//!
//! These never travel over the network: the page gets them from its own
//! process. They live here so that the page's TypeScript types are made from
//! the same source as everything else that is spoken.
//!
//! All times are Unix milliseconds unless stated otherwise.

pub mod alerts;
pub mod home;
pub mod reach;
pub mod update;
