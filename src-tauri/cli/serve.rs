//! `porchlight serve`: the service with no window.

use std::io::Write as _;
use std::process::ExitCode;

use porchlight_service::app::host::{Host, Kind, StartOptions};

#[cfg(windows)]
use crate::cli::session_end;
use crate::cli::{control, failed, run_for_long};

/// Serves until a signal stops it.
pub(super) fn run(options: StartOptions) -> ExitCode {
    run_for_long(serve(options))
}

async fn serve(options: StartOptions) -> ExitCode {
    // Before anything is opened: a signal that comes early is not lost.
    let signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => return failed(&error, 1),
    };
    let host = match Host::start(options, Kind::Serve).await {
        Ok(host) => host,
        Err(error) => return failed(&error, super::exit_code(&error)),
    };
    control::serve(&host);
    print_ready(&host);
    let code = tokio::select! {
        () = signals.one() => ExitCode::SUCCESS,
        () = host.listener().ended() => failed(&"the service stopped by itself; the log says why", 1),
    };
    host.stop().await;
    code
}

/// The one line of standard output. Whoever closed it does not want it.
pub(crate) fn print_ready(host: &Host) {
    let mut out = std::io::stdout().lock();
    let written = writeln!(out, "listening on {}", host.listener().own_url().get())
        .and_then(|()| out.flush());
    if let Err(error) = written {
        tracing::debug!(%error, "standard output is closed");
    }
}

/// What asks a process to stop.
#[cfg(unix)]
pub(crate) struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Listens from now on; must be called on a tokio runtime.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Done when one has come.
    pub(crate) async fn one(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// What asks a process to stop.
#[cfg(windows)]
pub(crate) struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
    pause: tokio::signal::windows::CtrlBreak,
    close: tokio::signal::windows::CtrlClose,
    logoff: tokio::signal::windows::CtrlLogoff,
    shutdown: tokio::signal::windows::CtrlShutdown,
}

#[cfg(windows)]
impl Signals {
    /// Listens from now on; must be called on a tokio runtime.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn listen() -> std::io::Result<Self> {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown};
        session_end::listen()?;
        Ok(Self {
            interrupt: ctrl_c()?,
            pause: ctrl_break()?,
            close: ctrl_close()?,
            logoff: ctrl_logoff()?,
            shutdown: ctrl_shutdown()?,
        })
    }

    /// Done when one has come.
    pub(crate) async fn one(mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.pause.recv() => {}
            _ = self.close.recv() => {}
            _ = self.logoff.recv() => {}
            _ = self.shutdown.recv() => {}
            () = session_end::ended() => {}
        }
    }
}
