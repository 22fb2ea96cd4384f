//! The limit on open files and connections of this process.
//!
//! Many systems begin with 1024 and let a process ask for more. The service
//! takes about that many connections, and needs files besides.

/// Raises the limit to the most that this process may ask for. Where the system
/// refuses, the limit stays as it is.
#[cfg(unix)]
pub fn raise() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    /// What macOS grants where it calls the limit infinite.
    const GRANTED_BY_ALL: u64 = 10_240;

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // `None` is no limit, which is as far as it goes.
    if current.is_none() || current == maximum {
        return;
    }
    let to = |current| setrlimit(Resource::Nofile, Rlimit { current, maximum });
    if to(maximum).is_err() && current < Some(GRANTED_BY_ALL) {
        // It stays as it was; the service works, with fewer connections.
        let _ = to(Some(GRANTED_BY_ALL));
    }
}

/// Nothing to do: this system has no such limit.
#[cfg(not(unix))]
pub fn raise() {}
