//! Removals on a clock that stands still until everybody waits.

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::*;

const A_MOMENT: Duration = Duration::from_millis(1);

fn hash(number: u8) -> ImageHash {
    ImageHash::from_bytes([number; 16])
}

struct Porch {
    removals: Removals,
    deleted: mpsc::UnboundedReceiver<ImageHash>,
    work: JoinHandle<()>,
}

impl Porch {
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
    let mut porch = Porch::new(Duration::ZERO);
    let before = Timestamp::now().as_millis();
    let removal = porch.removals.add(vec![hash(2), hash(1), hash(2)]);
    let removal = removal.expect("a removal");
    assert_eq!(removal.hashes, [hash(1), hash(2)]);
    assert!((5_000..60_000).contains(&(removal.at - before)));
    sleep(GRACE - A_MOMENT).await;
    assert_eq!(porch.deleted(), []);
    assert_eq!(porch.removals.all(), [removal]);
    sleep(A_MOMENT * 3).await;
    assert_eq!(porch.deleted(), [hash(1), hash(2)]);
    assert_eq!(porch.removals.all(), []);
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_in_time_is_not_deleted_and_the_others_go_at_theirs() {
    let mut porch = Porch::new(Duration::ZERO);
    let first = porch.remove(&[1]);
    sleep(Duration::from_secs(2)).await;
    let second = porch.remove(&[2]);
    let third = porch.remove(&[3]);
    sleep(Duration::from_secs(3) - A_MOMENT).await;
    assert!(porch.removals.keep(first));
    assert!(!porch.removals.keep(first), "it is kept already");
    assert!(!porch.removals.keep(99), "there is none");
    sleep(Duration::from_secs(1)).await;
    assert!(porch.removals.keep(third));
    assert_eq!(porch.ids(), [second]);
    assert_eq!(porch.deleted(), []);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(porch.deleted(), [hash(2)]);
    assert!(!porch.removals.keep(second), "it is gone");
}

#[tokio::test(start_paused = true)]
async fn what_is_being_deleted_cannot_be_kept_and_is_told_until_all_are_gone() {
    let mut porch = Porch::new(Duration::from_secs(10));
    let first = porch.remove(&[1, 2]);
    let second = porch.remove(&[3]);
    sleep(GRACE + Duration::from_secs(11)).await;
    assert_eq!(porch.deleted(), [hash(1)]);
    assert!(!porch.removals.keep(first));
    assert_eq!(porch.ids(), [first, second]);
    // Its time has come, but nothing of it has gone yet.
    assert!(porch.removals.keep(second));
    sleep(Duration::from_secs(30)).await;
    assert_eq!(porch.deleted(), [hash(2)]);
    assert_eq!(porch.ids(), [0; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_deleted_is_told_and_the_others_are_gone() {
    let removals = Removals::default();
    let (send, mut counts) = mpsc::unbounded_channel();
    let working = removals.clone();
    let work = tokio::spawn(async move {
        let delete = |one| async move { one == hash(2) };
        let tell = |count| send.send(count).expect("the test listens");
        working.work(delete, tell).await;
    });
    removals
        .add(vec![hash(1), hash(2), hash(3)])
        .expect("a removal");
    assert_eq!(counts.recv().await, Some(2));
    work.abort();
}

#[tokio::test(start_paused = true)]
async fn quitting_in_time_deletes_nothing() {
    let mut porch = Porch::new(Duration::ZERO);
    porch.remove(&[1]);
    sleep(GRACE - A_MOMENT).await;
    porch.work.abort();
    sleep(GRACE * 10).await;
    assert_eq!(porch.deleted(), []);
}

#[tokio::test(start_paused = true)]
async fn each_change_is_told_of() {
    let porch = Porch::new(Duration::ZERO);
    let mut changed = porch.removals.0.changed.reader();
    let id = porch.remove(&[1]);
    assert!(changed.has_changed());
    changed.mark_unchanged();
    assert!(!porch.removals.keep(id + 1));
    assert!(!changed.has_changed());
    porch.removals.keep(id);
    assert!(changed.has_changed());
    changed.mark_unchanged();
    porch.remove(&[1]);
    changed.mark_unchanged();
    changed.changed().await.expect("a sender");
    assert_eq!(porch.removals.all(), []);
}

#[tokio::test(start_paused = true)]
async fn none_and_too_many_are_refused() {
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
