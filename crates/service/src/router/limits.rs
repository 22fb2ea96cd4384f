//! How many requests a caller may make.
//!
//! Three kinds of bucket: an address without a token, an address with an unknown one (few, always
//! on: it is guessing), and a valid token, which is counted separately, so that readers behind the
//! same address do not affect the owner. Endpoints that cost more than others have an additional
//! bucket.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::state::keyed::DashMapStateStore;
use governor::{DefaultDirectRateLimiter, NotUntil, Quota, RateLimiter};

use crate::http::settings::LimitsSettings;
use crate::router::client_address::ClientAddress;
use crate::router::error::ErrorReply;
use crate::tokens::Bearer;

/// Unknown tokens at once; then one every [`UNKNOWN_TOKEN_EVERY`].
const UNKNOWN_TOKENS: NonZeroU32 = NonZeroU32::new(30).expect("not zero");
const UNKNOWN_TOKEN_EVERY: Duration = Duration::from_secs(2);
/// Unknown tokens per second from all addresses in total.
const ALL_UNKNOWN_TOKENS: NonZeroU32 = NonZeroU32::new(200).expect("not zero");
/// Heartbeats at once per token; then one per second.
const HEARTBEATS: NonZeroU32 = NonZeroU32::new(60).expect("not zero");
/// Look-ups at the provider at once per caller; then one every [`LOOK_UP_EVERY`]: per day about a
/// third of the calls of all callers.
const LOOK_UPS: NonZeroU32 = NonZeroU32::new(30).expect("not zero");
const LOOK_UP_EVERY: Duration = Duration::from_secs(5 * 60);

/// A valid token may do this many times what an address may.
const TOKEN_SHARE: u32 = 4;

/// Callers who cannot be distinguished share this many times the limits of one caller.
const EVERYONE: u32 = 20;

type Keyed<K> = RateLimiter<K, DashMapStateStore<K>, DefaultClock>;

pub(crate) struct Limits {
    readers: Option<Keyed<ClientAddress>>,
    unnamed_readers: Option<DefaultDirectRateLimiter>,
    unknown_tokens: Keyed<ClientAddress>,
    all_unknown_tokens: DefaultDirectRateLimiter,
    bearers: Option<Keyed<u64>>,
    heartbeats: Option<Keyed<u64>>,
    look_ups: Option<Keyed<ClientAddress>>,
    clock: DefaultClock,
}

impl Limits {
    pub(crate) fn new(settings: &LimitsSettings) -> Self {
        let number = |n: u64| NonZeroU32::new(u32::try_from(n).unwrap_or(u32::MAX));
        let quota = |share: u32| {
            let rate =
                number(settings.requests_per_second)?.saturating_mul(NonZeroU32::new(share)?);
            let burst = number(settings.burst)?.saturating_mul(NonZeroU32::new(share)?);
            Some(Quota::per_second(rate).allow_burst(burst))
        };
        let every = |period: Duration, burst: NonZeroU32| {
            Quota::with_period(period)
                .unwrap_or(Quota::per_minute(burst))
                .allow_burst(burst)
        };
        let is_on = settings.requests_per_second > 0;
        let heartbeats = every(Duration::from_secs(1), HEARTBEATS);
        let look_ups = every(LOOK_UP_EVERY, LOOK_UPS);
        Self {
            readers: quota(1).map(RateLimiter::dashmap),
            unnamed_readers: quota(EVERYONE).map(RateLimiter::direct),
            unknown_tokens: RateLimiter::dashmap(every(UNKNOWN_TOKEN_EVERY, UNKNOWN_TOKENS)),
            all_unknown_tokens: RateLimiter::direct(Quota::per_second(ALL_UNKNOWN_TOKENS)),
            bearers: quota(TOKEN_SHARE).map(RateLimiter::dashmap),
            heartbeats: is_on.then(|| RateLimiter::dashmap(heartbeats)),
            look_ups: is_on.then(|| RateLimiter::dashmap(look_ups)),
            clock: DefaultClock::default(),
        }
    }

    /// A request without a valid token.
    pub(crate) fn reader(&self, address: ClientAddress) -> Result<(), ErrorReply> {
        match (address, &self.unnamed_readers) {
            (ClientAddress::At(_), _) => self.ask(self.readers.as_ref(), &address),
            (ClientAddress::Unnamed, None) => Ok(()),
            (ClientAddress::Unnamed, Some(shared)) => {
                shared.check().map_err(|refused| self.wait(&refused))
            }
        }
    }

    /// A request with a token that was not recognised before.
    pub(crate) fn unknown_token(&self, address: ClientAddress) -> Result<(), ErrorReply> {
        self.ask(Some(&self.unknown_tokens), &address)?;
        let all = self.all_unknown_tokens.check();
        all.map_err(|refused| self.wait(&refused))
    }

    /// A request with a valid token.
    pub(crate) fn bearer(&self, bearer: &Bearer) -> Result<(), ErrorReply> {
        self.ask(self.bearers.as_ref(), &bearer.key)
    }

    /// A heartbeat with a valid token.
    pub(crate) fn heartbeat(&self, bearer: &Bearer) -> Result<(), ErrorReply> {
        self.ask(self.heartbeats.as_ref(), &bearer.key)
    }

    /// A look-up that may need the provider. Callers who cannot be distinguished share the day's.
    pub(crate) fn look_up(&self, address: ClientAddress) -> Result<(), ErrorReply> {
        match address {
            ClientAddress::At(_) => self.ask(self.look_ups.as_ref(), &address),
            ClientAddress::Unnamed => Ok(()),
        }
    }

    /// Forgets the callers whose buckets are full again, or the maps would grow
    /// with every address that ever came.
    pub(crate) fn forget_the_quiet(&self) {
        let by_address = [&self.readers, &self.look_ups];
        let by_address = by_address.into_iter().flatten();
        for limiter in by_address.chain([&self.unknown_tokens]) {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
        for limiter in [&self.bearers, &self.heartbeats].into_iter().flatten() {
            limiter.retain_recent();
        }
    }

    fn ask<K: std::hash::Hash + Eq + Clone>(
        &self,
        limiter: Option<&Keyed<K>>,
        key: &K,
    ) -> Result<(), ErrorReply> {
        limiter.map_or(Ok(()), |limiter| {
            let checked = limiter.check_key(key);
            checked.map_err(|refused| self.wait(&refused))
        })
    }

    /// Until the next request is welcome.
    fn wait(&self, refused: &NotUntil<<DefaultClock as Clock>::Instant>) -> ErrorReply {
        let wait = refused.wait_time_from(self.clock.now());
        ErrorReply::Wait(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
    }
}
