//! How many requests a caller may make.
//!
//! Three kinds of bucket: an address without a token, an address with a wrong
//! one (few, always on: it is guessing), and a valid token, which is counted by
//! itself, so that readers behind the same address leave the owner alone.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use porchlight_core::tokens::Bearer;

use crate::client_address::ClientAddress;
use crate::settings::LimitsSettings;

/// Wrong tokens at once, and then one every few seconds.
const WRONG_TOKENS: NonZeroU32 = NonZeroU32::new(30).expect("not zero");
const WRONG_TOKEN_EVERY: Duration = Duration::from_secs(2);

/// A valid token may do this many times what an address may.
const TOKEN_SHARE: u32 = 4;

type Keyed<K> = RateLimiter<K, DashMapStateStore<K>, DefaultClock>;

pub(crate) struct Limits {
    readers: Option<Keyed<ClientAddress>>,
    wrong_tokens: Keyed<ClientAddress>,
    bearers: Option<Keyed<u64>>,
    clock: DefaultClock,
}

/// Seconds until the next request is welcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait(pub(crate) u64);

impl Limits {
    pub(crate) fn new(settings: &LimitsSettings) -> Self {
        let number = |n: u64| NonZeroU32::new(u32::try_from(n).unwrap_or(u32::MAX));
        let quota = |share: u32| {
            let rate =
                number(settings.requests_per_second)?.saturating_mul(NonZeroU32::new(share)?);
            let burst = number(settings.burst)?.saturating_mul(NonZeroU32::new(share)?);
            Some(Quota::per_second(rate).allow_burst(burst))
        };
        let wrong = Quota::with_period(WRONG_TOKEN_EVERY)
            .unwrap_or(Quota::per_minute(WRONG_TOKENS))
            .allow_burst(WRONG_TOKENS);
        Self {
            readers: quota(1).map(RateLimiter::dashmap),
            wrong_tokens: RateLimiter::dashmap(wrong),
            bearers: quota(TOKEN_SHARE).map(RateLimiter::dashmap),
            clock: DefaultClock::default(),
        }
    }

    /// A request without a token.
    pub(crate) fn reader(&self, address: ClientAddress) -> Result<(), Wait> {
        self.readers
            .as_ref()
            .map_or(Ok(()), |limiter| self.ask(limiter, &address))
    }

    /// A request with a token that nobody gave out.
    pub(crate) fn wrong_token(&self, address: ClientAddress) -> Result<(), Wait> {
        self.ask(&self.wrong_tokens, &address)
    }

    /// A request with a valid token.
    pub(crate) fn bearer(&self, bearer: Bearer) -> Result<(), Wait> {
        self.bearers
            .as_ref()
            .map_or(Ok(()), |limiter| self.ask(limiter, &bearer.key))
    }

    /// Forgets the callers whose buckets are full again, or the maps would grow
    /// with every address that ever came.
    pub(crate) fn forget_the_quiet(&self) {
        for limiter in [self.readers.as_ref(), Some(&self.wrong_tokens)]
            .into_iter()
            .flatten()
        {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
        if let Some(limiter) = &self.bearers {
            limiter.retain_recent();
        }
    }

    fn ask<K: std::hash::Hash + Eq + Clone>(
        &self,
        limiter: &Keyed<K>,
        key: &K,
    ) -> Result<(), Wait> {
        limiter.check_key(key).map_err(|refused| {
            let wait = refused.wait_time_from(self.clock.now());
            Wait(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
        })
    }
}
