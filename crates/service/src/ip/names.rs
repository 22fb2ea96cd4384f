//! The name that an address has in the DNS.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

/// How long a name is waited for.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Queries at once. Each blocks a thread, for as long as the system's resolver
/// takes.
const AT_ONCE: usize = 4;

/// The longest name that the DNS knows.
const LONGEST: usize = 253;

/// Resolves names.
pub(super) struct Names {
    ask: Arc<dyn Fn(IpAddr) -> Option<String> + Send + Sync>,
    free: Arc<Semaphore>,
}

impl Names {
    /// With this resolver, which may block.
    pub(super) fn new(ask: impl Fn(IpAddr) -> Option<String> + Send + Sync + 'static) -> Self {
        Self {
            ask: Arc::new(ask),
            free: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// The name, or nothing: also on a timeout, or when too many are being
    /// resolved.
    pub(super) async fn of(&self, ip: IpAddr) -> String {
        self.of_within(ip, TIMEOUT).await
    }

    async fn of_within(&self, ip: IpAddr, timeout: Duration) -> String {
        let Ok(free) = Arc::clone(&self.free).try_acquire_owned() else {
            return String::new();
        };
        let ask = Arc::clone(&self.ask);
        let resolving = tokio::task::spawn_blocking(move || {
            let name = ask(ip);
            drop(free);
            name
        });
        let name = tokio::time::timeout(timeout, resolving)
            .await
            .ok()
            .and_then(Result::ok)
            .flatten();
        name.filter(|name| is_name(name)).unwrap_or_default()
    }
}

/// The owner of an address chooses its name, so it is untrusted.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !name.is_empty() && name.len() <= LONGEST && name.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::Names;

    const IP: IpAddr = IpAddr::V4(Ipv4Addr::new(8, 8, 8, 8));

    #[tokio::test]
    async fn only_a_name_that_looks_like_one_is_returned() {
        for (given, expected) in [
            (Some("dns.google"), "dns.google"),
            (Some("a-b_c.example."), "a-b_c.example."),
            (Some("<script>"), ""),
            (Some("a b"), ""),
            (Some(""), ""),
            (None, ""),
        ] {
            let names = Names::new(move |_| given.map(str::to_owned));
            assert_eq!(names.of(IP).await, expected, "{given:?}");
        }
    }

    #[tokio::test]
    async fn a_resolver_that_hangs_is_not_waited_for() {
        let (release, hold) = mpsc::channel::<()>();
        let hold = parking_lot::Mutex::new(hold);
        let names = Names::new(move |_| {
            let _ = hold.lock().recv();
            Some("late.example".to_owned())
        });
        assert_eq!(names.of_within(IP, Duration::from_millis(1)).await, "");
        drop(release);
    }
}
