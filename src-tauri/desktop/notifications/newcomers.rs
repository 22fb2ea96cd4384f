//! Pictures that are new, however they came: dropped, from a watched folder, by
//! an editor, over HTTP.

use std::collections::HashSet;

use porchlight_api::{ImageHash, Timestamp};
use porchlight_app::host::Host;
use porchlight_core::images::StoredImage;
use tauri::{AppHandle, Manager as _};

use super::{Notice, Notices};
use crate::desktop::{host_of, links};

/// How many are read after each change.
const LOOKED_AT: u32 = 100;
/// A picture has its time before it is stored, which an object store may take
/// long for, so one with an earlier time than others may come after them, by this
/// much at most. What is older came with its own date.
const LATE_MS: i64 = 10 * 60 * 1_000;

/// The pictures that are no news, to be read before the address for
/// uploads is announced.
pub(in crate::desktop) async fn known(host: &Host) -> Known {
    match host.service().images().page(0, LOOKED_AT).await {
        Ok(page) => Known::of(&page.images),
        Err(error) => {
            tracing::warn!(%error, "the pictures that are here cannot be looked at");
            // Those from before are no news all the same.
            Known {
                newest: None,
                last: Some(Timestamp::now()),
                hashes: HashSet::new(),
            }
        }
    }
}

/// Tells of those that come, until the app ends.
pub(in crate::desktop) async fn follow(app: AppHandle, mut known: Known) {
    let host = host_of(&app);
    let images = host.service().images();
    let mut changes = images.changes();
    loop {
        changes.mark_unchanged();
        match images.page(0, LOOKED_AT).await {
            Ok(page) => {
                let new = known.new_among(&page.images);
                if let Some(newest) = page.images.first().filter(|_| new > 0) {
                    app.state::<Notices>().tell(Notice::Stored {
                        count: new,
                        link: links::link_to(&host, newest.hash),
                    });
                }
            }
            Err(error) => tracing::warn!(%error, "new pictures cannot be looked for"),
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// The newest pictures as they were.
pub(in crate::desktop) struct Known {
    newest: Option<Timestamp>,
    /// The last one's time where there are more: what is no newer was out of
    /// sight, and moves up when others are deleted.
    last: Option<Timestamp>,
    hashes: HashSet<ImageHash>,
}

impl Known {
    fn of(images: &[StoredImage]) -> Self {
        Self {
            newest: images.first().map(|image| image.created_at),
            last: images
                .get(LOOKED_AT as usize - 1)
                .map(|image| image.created_at),
            hashes: images.iter().map(|image| image.hash).collect(),
        }
    }

    /// How many of them came since.
    fn new_among(&mut self, images: &[StoredImage]) -> usize {
        let is_new = |image: &&StoredImage| {
            let at = image.created_at;
            let came_since = |newest: Timestamp| at.as_millis() >= newest.as_millis() - LATE_MS;
            let was_out_of_sight = |last: Timestamp| at <= last;
            !self.hashes.contains(&image.hash)
                && self.newest.is_none_or(came_since)
                && !self.last.is_some_and(was_out_of_sight)
        };
        let new = images.iter().filter(is_new).count();
        let newest = self
            .newest
            .max(images.first().map(|image| image.created_at));
        *self = Self::of(images);
        self.newest = newest;
        new
    }
}

#[cfg(test)]
mod tests {
    use porchlight_core::settings::StorageKind;

    use super::*;

    fn image(number: u8, at: i64) -> StoredImage {
        StoredImage {
            hash: format!("{number:032x}").parse().expect("a hash"),
            size: 1,
            width: 1,
            height: 1,
            created_at: Timestamp::from_millis(at),
            place: StorageKind::Disk,
        }
    }

    /// As many as are looked at, a second apart, the newest of this second.
    fn page(newest: u8) -> Vec<StoredImage> {
        let count = u8::try_from(LOOKED_AT).expect("few");
        (0..count)
            .map(|back| image(newest - back, i64::from(newest - back) * 1_000))
            .collect()
    }

    #[test]
    fn what_came_is_new_and_what_moved_up_is_not() {
        let mut known = Known::of(&page(150));
        assert_eq!(known.new_among(&page(150)), 0);
        assert_eq!(known.new_among(&page(152)), 2);
        // Of the same millisecond as the newest.
        let mut twins = page(152);
        twins.insert(0, image(200, 152_000));
        twins.pop();
        assert_eq!(known.new_among(&twins), 1);
        // The newest were deleted, and older ones came into sight.
        assert_eq!(known.new_among(&page(149)), 0);
        assert_eq!(known.new_among(&page(153)), 4);
    }

    #[test]
    fn one_that_was_begun_earlier_and_is_stored_later_is_new() {
        let mut known = Known::of(&[image(1, 10_000)]);
        let (early, late) = (image(2, 60_000), image(3, 120_000));
        assert_eq!(known.new_among(&[late, image(1, 10_000)]), 1);
        assert_eq!(known.new_among(&[late, early, image(1, 10_000)]), 1);
    }

    #[test]
    fn one_with_an_old_date_of_its_own_is_not() {
        let now = 2 * LATE_MS;
        let mut known = Known::of(&[image(1, now)]);
        assert_eq!(known.new_among(&[image(1, now), image(2, 5)]), 0);
    }

    #[test]
    fn the_first_picture_of_all_is_new() {
        let mut known = Known::of(&[]);
        assert_eq!(known.new_among(&[image(1, 10)]), 1);
    }
}
