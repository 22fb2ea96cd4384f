//! Supervises the tunnel: starts it, finds its address, probes it, and restarts
//! it with back-off.

use std::collections::VecDeque;
use std::future::pending;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::child::Running;
use super::plan::Plan;
use super::probe::{Prober, Reached};
use super::{Holder, program};
use crate::clock::backoff::Backoff;
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::state::State;
use crate::text::address::WebAddress;
use crate::tunnel::window::TunnelState;

/// While an address is new: its DNS record may take a while.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// A tunnel must be up within this time of its start, or it is restarted.
const UP_WITHIN: Duration = Duration::from_secs(90);
/// A tunnel that was up counts as broken after this many failed probes in a
/// row.
const BROKEN_AFTER: u32 = 3;
/// The pauses before a restart.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(300));
/// After this long up, earlier failures do not count.
const STEADY: Duration = Duration::from_secs(60);
/// How often a missing program is searched for.
const LOOK_FOR_PROGRAM: Duration = Duration::from_secs(10);
/// The last output of an ended program arrives within this time.
const LAST_WORDS_WITHIN: Duration = Duration::from_secs(1);
/// Its last output explains why it ended.
const LAST_LINES: usize = 4;

pub(super) struct Supervisor {
    pub(super) plan: Plan,
    pub(super) holder: Holder,
    pub(super) prober: Prober,
    pub(super) address: State<Option<WebAddress>>,
    pub(super) state: State<TunnelState>,
    /// Notified when the owner requests a retry.
    pub(super) now: Arc<Notify>,
    pub(super) stop: CancellationToken,
}

enum End {
    Stopped,
    /// Why, and how long it was up.
    Broken(Message, Duration),
}

impl Supervisor {
    pub(super) async fn run(self) {
        let mut failures = 0_u32;
        while !self.stop.is_cancelled() {
            let rest = match self.once().await {
                End::Stopped => break,
                End::Broken(why, up) => {
                    if up >= STEADY {
                        failures = 0;
                    }
                    failures = failures.saturating_add(1);
                    let rest = BACKOFF.after(failures);
                    self.set_state(TunnelState::Waiting {
                        why,
                        next_try: in_a_while(rest).as_millis(),
                    });
                    rest
                }
            };
            tokio::select! {
                () = self.stop.cancelled() => {}
                () = self.now.notified() => {}
                () = tokio::time::sleep(rest) => {}
            }
        }
        self.withdraw();
        self.set_state(TunnelState::Off);
    }

    /// One run of the program.
    async fn once(&self) -> End {
        let Some(program) = self.find_program().await else {
            return End::Stopped;
        };
        self.set_state(TunnelState::Starting);
        let (mut running, mut lines) = match Running::start(&self.holder, &program, &self.plan) {
            Ok(started) => started,
            Err(error) => {
                let why = Message::DidNotStart {
                    program: (&program).into(),
                    why: error.into(),
                };
                return End::Broken(why, Duration::ZERO);
            }
        };
        let mut watched = Watched::new(self);
        let end = loop {
            let next_look = watched.next_look();
            tokio::select! {
                () = self.stop.cancelled() => break End::Stopped,
                Some(line) = lines.recv() => watched.printed(line),
                status = running.ended() => {
                    self.withdraw();
                    // Its last output is still arriving. Its own child
                    // processes may keep the pipe open.
                    let last = async {
                        while let Some(line) = lines.recv().await {
                            watched.printed(line);
                        }
                    };
                    let _ = tokio::time::timeout(LAST_WORDS_WITHIN, last).await;
                    let last = watched.last.iter().map(String::as_str).collect::<Vec<_>>();
                    let why = Message::ProgramEnded {
                        program: self.plan.name().into(),
                        how: status.map_or_else(Message::from, how).into(),
                        last: last.join(" / ").into(),
                    };
                    break End::Broken(why, watched.was_up());
                }
                () = at(next_look) => {
                    if let Some(why) = watched.look() {
                        break End::Broken(why, Duration::ZERO);
                    }
                }
                Some(look) = watched.looks.join_next() => {
                    // The probe of an outdated address was cancelled.
                    let Ok((address, seen)) = look else { continue };
                    if let Some(why) = watched.seen(&address, seen) {
                        break End::Broken(why, watched.was_up());
                    }
                }
            }
        };
        drop(watched);
        self.withdraw();
        running.end().await;
        end
    }

    /// The path of the program; `None` when it is stopped.
    async fn find_program(&self) -> Option<std::path::PathBuf> {
        loop {
            let why = match &self.plan.program {
                Some(file) => match program::startable(file) {
                    Ok(()) => return Some(file.clone()),
                    Err(why) => Some(why),
                },
                None => match program::find(&self.plan.words[0]) {
                    Some(found) => return Some(found),
                    None => None,
                },
            };
            let program = self.plan.name();
            self.set_state(TunnelState::Missing {
                program,
                why,
                install: self.plan.install.map(str::to_owned),
            });
            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = self.now.notified() => {}
                () = tokio::time::sleep(LOOK_FOR_PROGRAM) => {}
            }
        }
    }

    fn set_state(&self, state: TunnelState) {
        // The latency differs with each probe, and is not logged.
        let line = in_words(&state);
        let before = self.state.update(|known| std::mem::replace(known, state));
        if line != in_words(&before) {
            tracing::info!("the tunnel: {line}");
        }
    }

    /// The address no longer leads here.
    fn withdraw(&self) {
        self.address.update(|address| *address = None);
    }
}

/// A state for the log.
fn in_words(state: &TunnelState) -> String {
    match state {
        TunnelState::Off => "stopped".to_owned(),
        TunnelState::Starting => "starting".to_owned(),
        TunnelState::Checking { address } => format!("checking whether {address} leads here"),
        TunnelState::Up {
            address,
            host_rewritten: true,
            ..
        } => format!(
            "up at {address}, but a proxy on the way changes the header Host, so pages of readers \
             are refused; in nginx: proxy_set_header Host $host;"
        ),
        TunnelState::Up { address, .. } => format!("up at {address}"),
        TunnelState::Waiting { why, next_try } => {
            let rest = next_try - Timestamp::now().as_millis();
            format!("{why}; starting again in {} s", (rest + 500) / 1000)
        }
        TunnelState::Missing { why: Some(why), .. } | TunnelState::Stopped { why } => {
            why.to_string()
        }
        TunnelState::Missing {
            program, install, ..
        } => {
            let line = install.as_ref().map(|line| format!(": {line}"));
            let line = line.unwrap_or_default();
            format!("the program `{program}` is not installed{line}")
        }
    }
}

fn how(status: ExitStatus) -> Message {
    match status.code() {
        Some(code) => crate::detail!("exit status {status}", status = i64::from(code)),
        None => Message::text(status),
    }
}

fn in_a_while(rest: Duration) -> Timestamp {
    let millis = i64::try_from(rest.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(Timestamp::now().as_millis().saturating_add(millis))
}

/// Completes at that time, or never.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}

struct Watched<'a> {
    supervisor: &'a Supervisor,
    started: Instant,
    /// Its last lines of output.
    last: VecDeque<String>,
    address: Option<WebAddress>,
    address_since: Instant,
    /// How long an earlier address was up.
    up_before: Duration,
    due: Option<Instant>,
    /// The probe in progress.
    looks: JoinSet<(WebAddress, Result<Reached, Message>)>,
    failures: u32,
    up_since: Option<Instant>,
    /// The same in wall-clock time.
    since: Timestamp,
}

impl<'a> Watched<'a> {
    fn new(supervisor: &'a Supervisor) -> Self {
        let mut watched = Self {
            supervisor,
            started: Instant::now(),
            last: VecDeque::new(),
            address: None,
            address_since: Instant::now(),
            up_before: Duration::ZERO,
            due: None,
            looks: JoinSet::new(),
            failures: 0,
            up_since: None,
            since: Timestamp::now(),
        };
        if let Some(address) = &supervisor.plan.address {
            watched.has(address.clone());
        }
        watched
    }

    fn was_up(&self) -> Duration {
        self.up_before
            + self
                .up_since
                .map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn printed(&mut self, line: String) {
        let found = self.supervisor.plan.find(&line);
        let line = self.supervisor.plan.masked(&line);
        tracing::debug!("the tunnel's program: {line}");
        if self.last.len() == LAST_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line);
        if let Some(address) = found.filter(|address| self.address.as_ref() != Some(address)) {
            self.has(address);
        }
    }

    /// A new address replaces the old one.
    fn has(&mut self, address: WebAddress) {
        self.supervisor.withdraw();
        self.supervisor.set_state(TunnelState::Checking {
            address: address.clone(),
        });
        self.up_before = self.was_up();
        self.address = Some(address);
        self.address_since = Instant::now();
        self.up_since = None;
        self.failures = 0;
        self.looks.abort_all();
        self.due = Some(Instant::now());
    }

    /// When to probe; never during a probe.
    fn next_look(&self) -> Option<Instant> {
        // Without an address there is only the start timeout.
        let due = self.due.unwrap_or(self.started + UP_WITHIN);
        self.looks.is_empty().then_some(due)
    }

    /// Starts a probe; where there is no address, returns the reason to
    /// restart.
    fn look(&mut self) -> Option<Message> {
        let Some(address) = self.address.clone() else {
            return Some(crate::detail!("it printed no address in time"));
        };
        let prober = self.supervisor.prober.clone();
        self.looks.spawn(async move {
            let seen = prober.at(&address).await;
            (address, seen)
        });
        None
    }

    /// Handles the result of a probe; returns the reason to restart, if any.
    fn seen(&mut self, address: &WebAddress, seen: Result<Reached, Message>) -> Option<Message> {
        if self.address.as_ref() != Some(address) {
            return None;
        }
        let now = Instant::now();
        match seen {
            Ok(reached) => {
                self.failures = 0;
                self.due = Some(now + Duration::from_secs(self.supervisor.plan.check_seconds));
                if self.up_since.is_none() {
                    self.up_since = Some(now);
                    self.since = Timestamp::now();
                    self.supervisor.address.set(Some(address.clone()));
                }
                self.supervisor.set_state(TunnelState::Up {
                    address: address.clone(),
                    since: self.since.as_millis(),
                    round_trip: u32::try_from(reached.took.as_millis()).ok(),
                    host_rewritten: reached.host_rewritten,
                });
                None
            }
            Err(why) => {
                self.failures += 1;
                self.due = Some(now + LOOK_AGAIN);
                tracing::debug!("a reachability probe failed: {why}");
                let broken = match self.up_since {
                    Some(_) => self.failures >= BROKEN_AFTER,
                    None => self.address_since.elapsed() >= UP_WITHIN,
                };
                broken.then_some(why)
            }
        }
    }
}
