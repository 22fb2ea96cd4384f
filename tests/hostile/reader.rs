//! A reader that requests `/check` all the time, and the memory of the service during
//! that.
//!
//! Both run on separate threads, so that the attacks do not delay them.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::harness::memory::memory_of;
use crate::report::Report;
use crate::target::Target;

/// A pause between two requests; within what one address may ask.
const EVERY: Duration = Duration::from_millis(25);
/// The target for the slowest answer, on two otherwise idle cores.
const AIM: Duration = Duration::from_millis(50);
/// A reader gives up after this time.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The attacks that make the service convert images.
const CONVERTING: [&str; 3] = ["narrow", "bombs", "picgo"];

/// The running observer.
pub(crate) struct Observer {
    attack: Arc<Mutex<&'static str>>,
    stop: Arc<AtomicBool>,
    idle: u64,
    reader: JoinHandle<Vec<Asked>>,
    memory: JoinHandle<Vec<(&'static str, u64)>>,
}

/// One request of the reader.
struct Asked {
    during: &'static str,
    took: Duration,
    answered: bool,
}

/// What was observed.
pub(crate) struct Seen {
    idle: u64,
    asked: Vec<Asked>,
    memory: Vec<(&'static str, u64)>,
}

impl Observer {
    /// Starts while the service is idle.
    pub(crate) fn start(target: &Target) -> Self {
        let attack = Arc::new(Mutex::new("nothing"));
        let stop = Arc::new(AtomicBool::new(false));
        let pid = target.service.pid();
        let address = target.service.address();
        let idle = memory_of(pid);
        let repeat = |pause: Duration| {
            let (attack, stop) = (Arc::clone(&attack), Arc::clone(&stop));
            move || {
                std::thread::sleep(pause);
                let now = *attack.lock().expect("no panic");
                (!stop.load(Ordering::Relaxed)).then_some(now)
            }
        };
        let (again, look) = (repeat(EVERY), repeat(EVERY * 2));
        Self {
            reader: std::thread::spawn(move || {
                std::iter::from_fn(again)
                    .map(|during| ask(address, during))
                    .collect()
            }),
            memory: std::thread::spawn(move || {
                std::iter::from_fn(look)
                    .map(|during| (during, memory_of(pid)))
                    .collect()
            }),
            attack,
            stop,
            idle,
        }
    }

    /// Sets the name of the current attack.
    pub(crate) fn now(&self, attack: &'static str) {
        *self.attack.lock().expect("no panic") = attack;
    }

    /// Ends it.
    pub(crate) fn stop(self) -> Seen {
        self.stop.store(true, Ordering::Relaxed);
        Seen {
            idle: self.idle,
            asked: self.reader.join().expect("no panic"),
            memory: self.memory.join().expect("no panic"),
        }
    }
}

impl Seen {
    /// Checks the rules: the reader always gets an answer, and memory is bounded.
    pub(crate) fn judge(&self, report: &Report, growth: u64, with_conversions: u64) {
        let missed = self.asked.iter().filter(|asked| !asked.answered).count();
        report.rule(
            "check",
            missed == 0,
            &format!("{missed} times a reader was not answered with 200"),
        );
        report.outcome("check", "200", (self.asked.len() - missed) as u64);
        for (during, bytes) in &self.memory {
            let bound = match CONVERTING.contains(during) {
                true => with_conversions,
                false => self.idle + growth,
            };
            report.rule(
                during,
                *bytes <= bound,
                &format!("memory beyond {} MiB", bound >> 20),
            );
        }
    }

    fn slowest(&self) -> Option<&Asked> {
        self.asked.iter().max_by_key(|asked| asked.took)
    }

    /// The peak memory, with the attack at that time.
    fn most(&self, counts: impl Fn(&str) -> bool) -> (u64, &'static str) {
        let most = self.memory.iter().filter(|(during, _)| counts(during));
        most.map(|(during, bytes)| (*bytes, *during))
            .max()
            .unwrap_or((self.idle, "nothing"))
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut times: Vec<Duration> = self.asked.iter().map(|asked| asked.took).collect();
        times.sort_unstable();
        if let Some(slowest) = self.slowest() {
            let p99 = times[(times.len() - 1) * 99 / 100];
            let aim = match slowest.took <= AIM {
                true => "reached",
                false => "missed",
            };
            writeln!(
                f,
                "/check meanwhile: {} asked, slowest {:.1} ms (during {}), 99 of 100 within {:.1} ms; \
                 aim of {} ms {aim}",
                times.len(),
                slowest.took.as_secs_f64() * 1e3,
                slowest.during,
                p99.as_secs_f64() * 1e3,
                AIM.as_millis(),
            )?;
        }
        let (most, during) = self.most(|attack| !CONVERTING.contains(&attack));
        let (converting, conversion) = self.most(|attack| CONVERTING.contains(&attack));
        write!(
            f,
            "memory: {} MiB idle, {} MiB at most (during {during}), {} MiB with conversions \
             (during {conversion})",
            self.idle >> 20,
            most >> 20,
            converting >> 20,
        )
    }
}

/// One `/check`, over a new connection.
fn ask(address: SocketAddr, during: &'static str) -> Asked {
    let began = Instant::now();
    let answered = status(address).is_ok_and(|status| status == *b"HTTP/1.1 200");
    Asked {
        during,
        took: began.elapsed(),
        answered,
    }
}

fn status(address: SocketAddr) -> std::io::Result<[u8; 12]> {
    let mut socket = TcpStream::connect_timeout(&address, TIMEOUT)?;
    socket.set_read_timeout(Some(TIMEOUT))?;
    let request = format!("GET /check HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes())?;
    let mut status = [0; 12];
    socket.read_exact(&mut status)?;
    Ok(status)
}
