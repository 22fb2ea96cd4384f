//! The queue, step by step.

use porchlight_api::window::UploadTrouble;

use super::*;

const BROKEN: UploadState = UploadState::Failed {
    trouble: UploadTrouble::Broken,
};
const BEGUN: UploadState = UploadState::Working { permille: 0 };

fn file(number: u32) -> Picture {
    Picture::File(PathBuf::from(format!("/p/{number}.png")))
}

fn queue_of(count: u32) -> Queue {
    let mut queue = Queue::default();
    for number in 1..=count {
        queue.add(file(number), format!("{number}.png"), 10);
    }
    queue
}

fn done() -> UploadState {
    UploadState::Duplicate {
        hash: porchlight_api::ImageHash::from_bytes([7; 16]),
        url: String::new(),
    }
}

fn states(queue: &Queue) -> Vec<&UploadState> {
    queue.rows().iter().map(|row| &row.progress).collect()
}

fn ids(queue: &Queue) -> Vec<u32> {
    queue.rows().iter().map(|row| row.id).collect()
}

#[test]
fn files_have_their_turn_in_the_order_they_came() {
    let mut queue = queue_of(2);
    let job = queue.take().expect("the first one");
    let Picture::File(path) = job.picture else {
        panic!("a file came in");
    };
    assert_eq!((job.id, path), (1, PathBuf::from("/p/1.png")));
    assert_eq!(states(&queue), [&BEGUN, &UploadState::Waiting]);
    queue.finish(1, BROKEN);
    assert_eq!(queue.take().map(|job| job.id), Some(2));
    assert!(queue.take().is_none());
    assert_eq!(states(&queue), [&BROKEN, &BEGUN]);
}

#[test]
fn progress_only_goes_forward_and_only_while_it_is_under_way() {
    let mut queue = queue_of(1);
    assert!(!queue.progress(1, 100, None), "it still waits");
    queue.take();
    assert!(queue.progress(1, 250, Some(12)));
    assert_eq!(queue.rows()[0].size, 12);
    assert!(!queue.progress(1, 200, Some(12)), "nothing is new");
    assert!(!queue.progress(9, 500, None), "there is no such row");
    assert_eq!(states(&queue), [&UploadState::Working { permille: 250 }]);
    queue.finish(1, BROKEN);
    assert!(!queue.progress(1, 900, None), "it is over");
    assert_eq!(states(&queue), [&BROKEN]);
}

#[test]
fn what_failed_is_tried_again_in_its_place_after_those_that_wait() {
    let mut queue = queue_of(4);
    for (id, end) in [(1, BROKEN), (2, done()), (3, BROKEN)] {
        queue.take();
        queue.finish(id, end);
    }
    assert!(queue.retry(Some(2)).is_empty(), "it did not fail");
    assert!(queue.retry(Some(4)).is_empty(), "it waits already");
    assert!(queue.retry(Some(77)).is_empty(), "there is none");
    assert_eq!(queue.retry(Some(3)).len(), 1);
    assert_eq!(queue.rows()[2].progress, UploadState::Waiting);
    assert_eq!(queue.retry(None).len(), 1);
    assert!(queue.retry(None).is_empty(), "nothing is left that failed");
    assert_eq!(ids(&queue), [1, 2, 3, 4]);
    let order: Vec<u32> = std::iter::from_fn(|| queue.take())
        .map(|job| job.id)
        .collect();
    assert_eq!(order, [4, 3, 1]);
}

#[test]
fn clearing_leaves_what_is_not_finished() {
    let mut queue = queue_of(3);
    queue.take();
    queue.take();
    queue.finish(2, BROKEN);
    queue.clear();
    assert_eq!(ids(&queue), [1, 3]);
    assert!(
        queue.retry(None).is_empty(),
        "what was cleared is not tried again"
    );
    queue.finish(1, BROKEN);
    assert_eq!(states(&queue), [&BROKEN, &UploadState::Waiting]);
}

#[test]
fn only_the_oldest_finished_rows_are_forgotten() {
    let mut queue = queue_of(251);
    for _ in 0..250 {
        let id = queue.take().map_or(0, |job| job.id);
        if id != 1 {
            queue.finish(id, done());
        }
    }
    let ids = ids(&queue);
    assert_eq!(ids.len(), REMEMBERED + 2);
    assert_eq!((ids[0], ids[1], ids[ids.len() - 1]), (1, 51, 251));
}

#[test]
fn what_failed_is_kept_much_longer_than_what_went_well() {
    let most = u32::try_from(FAILED_REMEMBERED).expect("a number");
    let mut queue = queue_of(most + 2 + 300);
    for number in 1..=most + 2 + 300 {
        let id = queue.take().map_or(0, |job| job.id);
        queue.finish(id, if number <= most + 2 { BROKEN } else { done() });
    }
    let rows = queue.rows();
    let failed = rows.iter().filter(|row| row.progress == BROKEN).count();
    assert_eq!(
        (failed, rows.len()),
        (FAILED_REMEMBERED, FAILED_REMEMBERED + REMEMBERED)
    );
    assert_eq!(rows[0].id, 3);
    assert_eq!(queue.retry(None).len(), FAILED_REMEMBERED);
}

#[test]
fn the_bytes_of_a_picture_are_kept_no_longer_than_they_may_be_needed() {
    let mut queue = Queue::default();
    let mut paste = || queue.add(Picture::Bytes(vec![1; 3].into()), "a.png".to_owned(), 3);
    paste();
    paste();
    queue.take();
    queue.take();
    queue.finish(1, done());
    queue.finish(2, BROKEN);
    assert_eq!(queue.pictures.keys().collect::<Vec<_>>(), [&2]);
    queue.clear();
    assert!(queue.pictures.is_empty());
}
