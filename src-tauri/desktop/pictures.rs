//! Stored pictures, as the window shows them.

use porchlight_service::app::host::Host;
use porchlight_service::clock::timestamp::Timestamp;
use porchlight_service::db::DatabaseError;
use porchlight_service::images::window::{
    DeletedPicture, ImageDay, ImageFilter, ImagePage, ImageSearch, Picture, TrashPage,
};
use porchlight_service::images::{self, ImageDetails};
use porchlight_service::text::image_hash::ImageHash;
use porchlight_service::text::{LONGEST_NAME, one_line};

use super::links::link_to;

/// Pictures that the page gets at once.
const MOST: u32 = 500;
/// A day in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Those that are wanted, from the `offset`th on.
///
/// # Errors
/// When the database fails.
pub(super) async fn page(
    host: &Host,
    search: &ImageSearch,
    offset: u64,
    limit: u32,
) -> Result<ImagePage, DatabaseError> {
    let Some(wanted) = of_host(host, search) else {
        return Ok(ImagePage {
            total: 0,
            images: Vec::new(),
        });
    };
    let images = host.service().images();
    let found = images.search(wanted, offset, limit.min(MOST)).await?;
    Ok(ImagePage {
        total: found.total,
        images: found
            .images
            .iter()
            .map(|image| picture(host, image))
            .collect(),
    })
}

/// The hashes of those that are wanted, from the `offset`th on.
///
/// # Errors
/// When the database fails.
pub(super) async fn hashes(
    host: &Host,
    search: &ImageSearch,
    offset: u64,
    limit: u32,
) -> Result<Vec<ImageHash>, DatabaseError> {
    match of_host(host, search) {
        Some(wanted) => host.service().images().hashes(wanted, offset, limit).await,
        None => Ok(Vec::new()),
    }
}

/// How many of those that are wanted there are on each day, the newest day first.
///
/// # Errors
/// When the database fails.
pub(super) async fn days(
    host: &Host,
    search: &ImageSearch,
) -> Result<Vec<ImageDay>, DatabaseError> {
    match of_host(host, search) {
        Some(wanted) => host.service().images().days(wanted).await,
        None => Ok(Vec::new()),
    }
}

/// Deleted pictures that can be put back, from the `offset`th on.
///
/// # Errors
/// When the database fails.
pub(super) async fn trash(
    host: &Host,
    offset: u64,
    limit: u32,
) -> Result<TrashPage, DatabaseError> {
    let images = host.service().images();
    let kept = DAY.saturating_mul(images.settings().trash_days.cast_signed());
    let trash = images.trash(offset, limit.min(MOST)).await?;
    let deleted = trash.images.into_iter();
    let deleted = deleted.map(|deleted| DeletedPicture {
        hash: deleted.image.hash,
        width: deleted.image.width,
        height: deleted.image.height,
        size: deleted.image.size,
        name: deleted.name,
        album: deleted.album,
        created_at: deleted.image.created_at.as_millis(),
        until: deleted.deleted_at.as_millis().saturating_add(kept),
    });
    Ok(TrashPage {
        total: trash.total,
        pictures: deleted.collect(),
    })
}

/// What to search for, with what posts use where that matters.
fn of_host(host: &Host, search: &ImageSearch) -> Option<images::ImageSearch> {
    let mut wanted = wanted(search)?;
    if search.only == Some(ImageFilter::InNoPost) {
        wanted.in_posts = host.posts().used()?;
    }
    Some(wanted)
}

/// What to search for; `None` where no hash begins like this and no name is wanted.
fn wanted(search: &ImageSearch) -> Option<images::ImageSearch> {
    let digits = search.hash.as_deref().unwrap_or_default().trim();
    let name = one_line(search.name.as_deref().unwrap_or_default(), LONGEST_NAME);
    let name = (!name.is_empty()).then_some(name);
    let prefix = match (digits, &name) {
        ("", _) => None,
        (digits, None) => Some(digits.parse().ok()?),
        (digits, Some(_)) => digits.parse().ok(),
    };
    Some(images::ImageSearch {
        prefix,
        name,
        from: search.from.map(Timestamp::from_millis),
        to: search.to.map(Timestamp::from_millis),
        order: search.order,
        only: search.only,
        album: search.album.clone(),
        in_posts: Vec::new(),
    })
}

pub(super) fn picture(host: &Host, details: &ImageDetails) -> Picture {
    let image = &details.image;
    Picture {
        hash: image.hash,
        width: image.width,
        height: image.height,
        size: image.size,
        source_size: details.source_size,
        source_format: details.source_format.to_ascii_lowercase(),
        animated: details.frames > 1,
        views: details.views,
        created_at: image.created_at.as_millis(),
        url: link_to(host, image.hash),
        name: details.name.clone(),
        album: details.album.clone(),
        posts: host.posts().count_of(image.hash),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(hash: Option<&str>) -> Option<images::ImageSearch> {
        wanted(&ImageSearch {
            hash: hash.map(str::to_owned),
            name: None,
            from: Some(1),
            ..ImageSearch::default()
        })
    }

    #[test]
    fn an_empty_search_finds_all_and_an_invalid_hash_none() {
        let all = images::ImageSearch {
            from: Some(Timestamp::from_millis(1)),
            ..images::ImageSearch::default()
        };
        for nothing in [None, Some(""), Some("  ")] {
            assert_eq!(search(nothing).as_ref(), Some(&all));
        }
        for wrong in ["x", "ab-", "ab cd"] {
            assert_eq!(search(Some(wrong)), None);
        }
        assert_eq!(search(Some(" aB ")), search(Some("Ab")));
        assert_ne!(search(Some("ab")), Some(all));
    }
}
