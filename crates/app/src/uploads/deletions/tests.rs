//! Removals on a clock that stands still until everybody waits.

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::*;

const A_MOMENT: Duration = Duration::from_millis(1);

fn hash(number: u8) -> ImageHash {
    ImageHash::from_bytes([number; 16])
}

struct TestDeletions {
    removals: Removals,
    deleted: mpsc::UnboundedReceiver<ImageHash>,
    work: JoinHandle<()>,
}

impl TestDeletions {
    /// Each delete takes so long.
    fn new(each: Duration) -> Self {
        let removals = Removals::default();
        let (send, deleted) = mpsc::unbounded_channel();
        let work = tokio::spawn({
            let removals = removals.clone();
            async move {
                let delete = |hash| {
                    let send = send.clone();
                    async move {
                        sleep(each).await;
                        send.send(hash).expect("the test listens");
                        true
                    }
                };
                removals.work(delete, |_| panic!("all are gone")).await;
            }
        });
        Self {
            removals,
            deleted,
            work,
        }
    }

    fn remove(&self, numbers: &[u8]) -> u32 {
        let hashes = numbers.iter().copied().map(hash).collect();
        self.removals.add(hashes).expect("a removal").id
    }

    fn deleted(&mut self) -> Vec<ImageHash> {
        std::iter::from_fn(|| self.deleted.try_recv().ok()).collect()
    }

    fn ids(&self) -> Vec<u32> {
        self.removals.all().iter().map(|one| one.id).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn until_its_time_nothing_is_deleted_and_then_all_of_it() {
    let mut test = TestDeletions::new(Duration::ZERO);
    let before = Timestamp::now().as_millis();
    let removal = test.removals.add(vec![hash(2), hash(1), hash(2)]);
    let removal = removal.expect("a removal");
    assert_eq!(removal.hashes, [hash(1), hash(2)]);
    assert!((5_000..60_000).contains(&(removal.at - before)));
    sleep(GRACE - A_MOMENT).await;
    assert_eq!(test.deleted(), []);
    assert_eq!(test.removals.all(), [removal]);
    sleep(A_MOMENT * 3).await;
    assert_eq!(test.deleted(), [hash(1), hash(2)]);
    assert_eq!(test.removals.all(), []);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_deletion_deletes_nothing_and_the_others_run_in_time() {
    let mut test = TestDeletions::new(Duration::ZERO);
    let first = test.remove(&[1]);
    sleep(Duration::from_secs(2)).await;
    let second = test.remove(&[2]);
    let third = test.remove(&[3]);
    sleep(Duration::from_secs(3) - A_MOMENT).await;
    assert!(test.removals.keep(first));
    assert!(!test.removals.keep(first), "it is kept already");
    assert!(!test.removals.keep(99), "there is none");
    sleep(Duration::from_secs(1)).await;
    assert!(test.removals.keep(third));
    assert_eq!(test.ids(), [second]);
    assert_eq!(test.deleted(), []);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(test.deleted(), [hash(2)]);
    assert!(!test.removals.keep(second), "it is gone");
}

#[tokio::test(start_paused = true)]
async fn a_running_deletion_cannot_be_undone_and_is_shown_until_it_ends() {
    let mut test = TestDeletions::new(Duration::from_secs(10));
    let first = test.remove(&[1, 2]);
    let second = test.remove(&[3]);
    sleep(GRACE + Duration::from_secs(11)).await;
    assert_eq!(test.deleted(), [hash(1)]);
    assert!(!test.removals.keep(first));
    assert_eq!(test.ids(), [first, second]);
    // Its time has come, but nothing of it has gone yet.
    assert!(test.removals.keep(second));
    sleep(Duration::from_secs(30)).await;
    assert_eq!(test.deleted(), [hash(2)]);
    assert_eq!(test.ids(), [0; 0]);
}

#[tokio::test(start_paused = true)]
async fn images_that_cannot_be_deleted_are_named_and_the_others_removed() {
    let removals = Removals::default();
    let (send, mut counts) = mpsc::unbounded_channel();
    let working = removals.clone();
    let work = tokio::spawn(async move {
        let delete = |one| async move { one == hash(2) };
        let notify = |count| send.send(count).expect("the test listens");
        working.work(delete, notify).await;
    });
    removals
        .add(vec![hash(1), hash(2), hash(3)])
        .expect("a removal");
    assert_eq!(counts.recv().await, Some(2));
    work.abort();
}

#[tokio::test(start_paused = true)]
async fn quitting_in_time_deletes_nothing() {
    let mut test = TestDeletions::new(Duration::ZERO);
    test.remove(&[1]);
    sleep(GRACE - A_MOMENT).await;
    test.work.abort();
    sleep(GRACE * 10).await;
    assert_eq!(test.deleted(), []);
}

#[tokio::test(start_paused = true)]
async fn each_change_of_the_deletions_is_announced() {
    let test = TestDeletions::new(Duration::ZERO);
    let mut changed = test.removals.0.changed.reader();
    let id = test.remove(&[1]);
    assert!(changed.has_changed());
    changed.mark_unchanged();
    assert!(!test.removals.keep(id + 1));
    assert!(!changed.has_changed());
    test.removals.keep(id);
    assert!(changed.has_changed());
    changed.mark_unchanged();
    test.remove(&[1]);
    changed.mark_unchanged();
    changed.changed().await.expect("a sender");
    assert_eq!(test.removals.all(), []);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_of_no_image_or_of_too_many_is_refused() {
    let removals = Removals::default();
    assert_eq!(removals.add(Vec::new()), Err(Message::NoPictureNamed));
    let many = vec![hash(1); MOST + 1];
    assert_eq!(
        removals.add(many),
        Err(Message::TooManyToDelete { most: MOST.into() })
    );
    assert!(removals.add(vec![hash(1); MOST]).is_ok());
    assert_eq!(removals.all().len(), 1);
}
