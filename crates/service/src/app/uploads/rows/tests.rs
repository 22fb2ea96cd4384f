//! The list, step by step.

use super::*;
use crate::error::message::Message;
use crate::uploads::window::UploadTrouble;

const BROKEN: UploadState = UploadState::Failed {
    trouble: UploadTrouble::Broken,
};
const WAITING: UploadState = UploadState::Waiting { why: None };

fn row(id: u32) -> Upload {
    Upload {
        id,
        name: format!("{id}.png"),
        size: 10,
        progress: WAITING,
    }
}

fn rows_of(count: u32) -> Rows {
    let mut rows = Rows::default();
    (1..=count).for_each(|id| rows.insert(row(id)));
    rows
}

fn done() -> UploadState {
    UploadState::Duplicate {
        hash: crate::text::image_hash::ImageHash::from_bytes([7; 16]),
        url: String::new(),
    }
}

fn states(rows: &Rows) -> Vec<&UploadState> {
    rows.all().iter().map(|row| &row.progress).collect()
}

fn ids(rows: &Rows) -> Vec<u32> {
    rows.all().iter().map(|row| row.id).collect()
}

#[test]
fn files_are_listed_in_the_order_they_were_added() {
    let mut rows = Rows::default();
    for id in [7, 3, 9, 3] {
        rows.insert(row(id));
    }
    assert_eq!(ids(&rows), [3, 7, 9]);
    let spare = rows.spare_id();
    rows.insert(row(spare));
    rows.insert(row(rows.spare_id()));
    rows.insert(row(10));
    assert_eq!(ids(&rows), [3, 7, 9, 10, spare, spare + 1]);
}

#[test]
fn progress_only_grows_and_stops_at_the_end() {
    let mut rows = rows_of(1);
    assert!(rows.progress(1, 0, None), "it is under way now");
    assert!(rows.progress(1, 250, Some(12)));
    assert_eq!(rows.all()[0].size, 12);
    assert!(!rows.progress(1, 200, Some(12)), "nothing is new");
    assert!(!rows.progress(9, 500, None), "there is no such row");
    assert_eq!(states(&rows), [&UploadState::Working { permille: 250 }]);
    let why = Some(Message::AskedToWait);
    rows.set(1, UploadState::Waiting { why });
    assert!(rows.progress(1, 0, None), "it is tried again");
    assert_eq!(states(&rows), [&UploadState::Working { permille: 0 }]);
    rows.set(1, BROKEN);
    assert!(!rows.progress(1, 900, None), "it is over");
    assert_eq!(states(&rows), [&BROKEN]);
}

#[test]
fn failed_rows_can_be_selected_one_by_one_or_all() {
    let mut rows = rows_of(4);
    for (id, end) in [(1, BROKEN), (2, done()), (3, BROKEN)] {
        rows.set(id, end);
    }
    assert!(rows.failed(Some(2)).is_empty(), "it did not fail");
    assert!(rows.failed(Some(4)).is_empty(), "it waits already");
    assert!(rows.failed(Some(77)).is_empty(), "there is none");
    assert_eq!(rows.failed(Some(3)), [3]);
    assert_eq!(rows.failed(None), [1, 3]);
}

#[test]
fn clearing_keeps_unfinished_rows() {
    let mut rows = rows_of(3);
    rows.progress(1, 0, None);
    rows.set(2, BROKEN);
    rows.clear();
    assert_eq!(ids(&rows), [1, 3]);
    assert!(rows.failed(None).is_empty());
    rows.set(1, BROKEN);
    assert_eq!(states(&rows), [&BROKEN, &WAITING]);
    assert!(rows.waiting(Some(1)).is_empty());
    assert_eq!(rows.waiting(None), [3]);
    rows.remove(&[3, 9].into());
    assert_eq!(ids(&rows), [1]);
}

#[test]
fn only_the_oldest_finished_rows_are_forgotten() {
    let mut rows = rows_of(251);
    for id in 2..=250 {
        rows.set(id, done());
    }
    let ids = ids(&rows);
    assert_eq!(ids.len(), REMEMBERED + 2);
    assert_eq!((ids[0], ids[1], ids[ids.len() - 1]), (1, 51, 251));
}

#[test]
fn failed_rows_are_kept_much_longer_than_successful_ones() {
    let most = u32::try_from(FAILED_REMEMBERED).expect("a number");
    let mut rows = rows_of(most + 2 + 300);
    for id in 1..=most + 2 + 300 {
        rows.set(id, if id <= most + 2 { BROKEN } else { done() });
    }
    let failed = rows.failed(None);
    assert_eq!(
        (failed.len(), rows.all().len()),
        (FAILED_REMEMBERED, FAILED_REMEMBERED + REMEMBERED)
    );
    assert_eq!(rows.all()[0].id, 3);
}
