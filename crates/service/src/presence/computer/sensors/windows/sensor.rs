//! Starts the sensors of Windows.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::super::StateWriter;
use super::{media, watch};
use crate::error::message::Message;
use crate::presence::computer::foreground::Foreground;
use crate::presence::suspend::{self, Announced};

/// How long sleep is delayed, for the goodbye heartbeat.
const HOLD_UP_SLEEP: Duration = Duration::from_millis(1_500);

pub(in crate::presence::computer::sensors) fn open(
    writer: &StateWriter,
    stop: &CancellationToken,
    reads_tracks: bool,
) {
    let (reports, ended) = (writer.clone(), stop.clone());
    let thread = std::thread::Builder::new().name("front".to_owned());
    let started = thread.spawn(move || {
        if let Err(error) = watch::run(&reports, &ended) {
            unknown(&reports, &Message::text(error.message()));
        }
    });
    if let Err(error) = started {
        unknown(
            writer,
            &crate::detail!("there is no thread for it: {why}", why = error),
        );
    }
    let tasks = stop.clone();
    let media = media::watch(writer.clone(), reads_tracks);
    tokio::spawn(tasks.clone().run_until_cancelled_owned(media));
    tokio::spawn(tasks.run_until_cancelled_owned(follow_sleep(writer.clone())));
}

fn unknown(writer: &StateWriter, why: &Message) {
    writer.change(|state| {
        (state.front, state.input) = (Foreground::Unknown, super::super::Input::Unknown);
        for sensor in [
            &mut state.unavailable.front,
            &mut state.unavailable.input,
            &mut state.unavailable.lock,
        ] {
            *sensor = Some(why.clone());
        }
    });
}

/// The clocks of Windows advance during sleep, also that of input: past sleep need not be noticed.
async fn follow_sleep(writer: StateWriter) {
    let mut announced = match suspend::announced_sleeps() {
        Ok(announced) => announced,
        Err(error) => {
            writer.change(|state| state.unavailable.sleep = Some(Message::text(error)));
            return;
        }
    };
    loop {
        let held = match announced.recv().await {
            Ok(Announced::Sleep(held)) => Some(held),
            Ok(Announced::Awake) | Err(_) => None,
        };
        writer.change(|state| state.asleep = held.is_some());
        if held.is_some() {
            sleep(HOLD_UP_SLEEP).await;
        }
    }
}
