//! The calls of readers, for the owner alone.

use porchlight_service::app::host::Host;
use porchlight_service::clock::timestamp::Timestamp;
use porchlight_service::error::message::Message;
use porchlight_service::files::private_files;
use porchlight_service::stats::Edges;
use porchlight_service::stats::window::{Statistics, StatisticsTable, TopPicture};
use tauri::{State, WebviewWindow};
use tauri_plugin_dialog::DialogExt as _;
use tokio::sync::oneshot;

use crate::desktop::pictures::picture;
use crate::desktop::{csv_export, i18n::words};

/// Pictures that were looked at most.
const TOP: u32 = 6;
/// The requests between each two of these times, at most 400, in ascending order.
#[tauri::command]
pub(crate) async fn statistics(
    edges: Vec<i64>,
    host: State<'_, Host>,
) -> Result<Statistics, Message> {
    let edges = edges.into_iter().map(Timestamp::from_millis).collect();
    let edges = Edges::new(edges)?;
    let (from, to) = (edges.first(), edges.last());
    let (stats, images) = (host.service().stats(), host.service().images());
    let calls = stats.between(edges).await?;
    let top = images.most_viewed(from, to, TOP).await?;
    let (start, end) = (from.as_millis(), to.as_millis());
    let before = start.saturating_sub(end.saturating_sub(start));
    let before = Timestamp::from_millis(before);
    let readers = stats.readers_between(before, to).await?;
    let sent = stats.sent_between(from, to).await?;
    let space = images.space().await?;
    let first = stats.first_hour().await?;
    Ok(Statistics {
        steps: calls.steps,
        paths: calls.paths,
        readers,
        top: top
            .iter()
            .map(|(image, views)| TopPicture {
                picture: picture(&host, image),
                views: *views,
            })
            .collect(),
        sent,
        space,
        first: first.map(Timestamp::as_millis),
    })
}

/// Exports the requests of that range by hour, or the views of pictures by day, as CSV; the file,
/// or `None` when cancelled.
#[tauri::command]
pub(crate) async fn save_statistics(
    from: i64,
    to: i64,
    table: StatisticsTable,
    host: State<'_, Host>,
    window: WebviewWindow,
) -> Result<Option<String>, Message> {
    let (from, to) = (Timestamp::from_millis(from), Timestamp::from_millis(to));
    if from >= to {
        return Err(porchlight_service::detail!(
            "the range ends before it begins"
        ));
    }
    let words = words(&host);
    let (title, name) = match table {
        StatisticsTable::Calls => (words.save_calls, "porchlight-calls.csv"),
        StatisticsTable::Views => (words.save_views, "porchlight-views.csv"),
    };
    let (send, chosen) = oneshot::channel();
    window
        .dialog()
        .file()
        .set_parent(&window)
        .set_title(title)
        // Unless the owner has a better name.
        .set_file_name(name)
        .add_filter("CSV", &["csv"])
        .save_file(move |file| {
            // The window may have been closed meanwhile.
            let _ = send.send(file);
        });
    let Some(file) = chosen.await.ok().flatten() else {
        return Ok(None);
    };
    let file = file.into_path().map_err(Message::text)?;
    let stats = host.service().stats();
    let text = match table {
        StatisticsTable::Calls => {
            let rows = stats.hours_between(from, to).await?;
            csv_export::calls(&rows)
        }
        StatisticsTable::Views => {
            let rows = stats.views_between(from, to).await?;
            csv_export::views(&rows)
        }
    };
    let written = tauri::async_runtime::spawn_blocking(move || {
        let written = private_files::write(&file, text.as_bytes());
        let file = file.display().to_string();
        match written {
            Ok(()) => Ok(Some(file)),
            Err(error) => Err(porchlight_service::detail!(
                "{path} cannot be written: {why}",
                path = file,
                why = error
            )),
        }
    });
    written.await.map_err(Message::text)?
}
