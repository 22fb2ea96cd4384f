//! What a running tray app costs: memory and CPU while it is hidden, memory
//! after its window was open, the time until that is drawn, and how smoothly
//! ten thousand images scroll.

mod app;
mod desktop;
mod processes;
mod screen;
mod scrolling;

use std::thread::sleep;
use std::time::{Duration, Instant};

use self::app::App;
use self::desktop::Desktop;
use crate::figures::Figures;
use crate::table::Line;
use crate::{Place, Result};

/// From the start, or from closing the window, until memory is measured.
const SETTLED_AFTER: Duration = Duration::from_secs(10);
/// How long CPU time is measured.
const IDLE_FOR: Duration = Duration::from_secs(60);
/// How often the window is opened and closed.
const ROUNDS: usize = 50;
/// Memory is measured after the first round and each time after this many.
const LOOK_AFTER: usize = 10;

const MEBIBYTE: f64 = 1024.0 * 1024.0;
const AIM_HIDDEN_MIB: f64 = 45.0;
const AIM_AFTER_WINDOW_MIB: f64 = 75.0;
/// What fifty rounds may add. It is more than the memory of one web process
/// differs by from one start to the next, and far less than fifty times what
/// a window takes.
const AIM_GROWTH_MIB: f64 = 5.0;
const AIM_CORE_PERCENT: f64 = 0.5;
const AIM_OPEN_MILLISECONDS: f64 = 700.0;

/// Measures all of it.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> window: hidden, opened {ROUNDS} times, scrolled");
    let binary = place
        .desktop
        .ok_or("the window's part needs the desktop binary: --desktop")?;
    let desktop = Desktop::start(&place.scratch.join("window"))?;
    let mut lines = Vec::new();

    let app = App::start(&desktop, binary, "hidden")?;
    sleep(SETTLED_AFTER);
    let hidden = app.dirty_memory()? as f64 / MEBIBYTE;
    lines.push(memory("started hidden", hidden, AIM_HIDDEN_MIB));
    let share = idle(&app)?;
    lines.push(line(
        format!(
            "tray app hidden, {} s idle, of one core",
            IDLE_FOR.as_secs()
        ),
        format!("{share:.2} %"),
        format!("< {AIM_CORE_PERCENT} %"),
        share < AIM_CORE_PERCENT,
    ));

    let mut opened = Vec::new();
    let mut after = Vec::new();
    for round in 0..ROUNDS {
        opened.push(app.open_window()?.as_secs_f64() * 1000.0);
        app.close_window()?;
        if round == 0 || (round + 1) % LOOK_AFTER == 0 {
            sleep(SETTLED_AFTER);
            after.push(app.dirty_memory()? as f64 / MEBIBYTE);
        }
    }
    let (first, last) = (after[0], after[after.len() - 1]);
    lines.push(memory(
        "after its window was open",
        first,
        AIM_AFTER_WINDOW_MIB,
    ));
    lines.push(memory(
        &format!("after {ROUNDS} such windows"),
        last,
        AIM_AFTER_WINDOW_MIB,
    ));
    // Whether it levels off is seen on the way there.
    let left: Vec<String> = after[1..]
        .iter()
        .map(|one| format!("{:+.1}", one - first))
        .collect();
    lines.push(line(
        format!("what {} further windows leave behind", ROUNDS - 1),
        format!(
            "{:+.1} MiB (after each {LOOK_AFTER}: {})",
            last - first,
            left.join(", ")
        ),
        format!("< {AIM_GROWTH_MIB} MiB"),
        last - first < AIM_GROWTH_MIB,
    ));
    // The first one also fills the system's caches.
    let cold = opened[0];
    let warm = Figures::new(opened.split_off(1));
    let (median, from, to) = (warm.median(), warm.smallest(), warm.largest());
    lines.push(line(
        "click in the tray to the drawn window".to_owned(),
        format!("{median:.0} ms ({from:.0}–{to:.0}), the first {cold:.0} ms"),
        format!("< {AIM_OPEN_MILLISECONDS} ms"),
        median < AIM_OPEN_MILLISECONDS,
    ));
    drop(app);

    print(&lines);
    let scrolled = scrolling::measure(&desktop, binary).await?;
    print(&scrolled);
    lines.extend(scrolled);
    Ok(lines)
}

fn print(lines: &[Line]) {
    for line in lines {
        println!("    {}: {}", line.what, line.ours);
    }
}

/// The CPU time while nothing happens, in percent of one core.
fn idle(app: &App) -> Result<f64> {
    let (began, before) = (Instant::now(), app.processor_time()?);
    sleep(IDLE_FOR);
    let taken = app.processor_time()?.saturating_sub(before);
    Ok(taken.as_secs_f64() / began.elapsed().as_secs_f64() * 100.0)
}

fn memory(when: &str, mebibytes: f64, aim: f64) -> Line {
    line(
        format!("tray app, dirty memory of all its processes, {when}"),
        format!("{mebibytes:.1} MiB"),
        format!("< {aim} MiB"),
        mebibytes < aim,
    )
}

fn line(what: String, ours: String, aim: String, reached: bool) -> Line {
    Line {
        what,
        ours,
        aim: Some((aim, reached)),
        ..Line::default()
    }
}
