//! The snapshot.
