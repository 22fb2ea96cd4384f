//! Orders, filters and days.

use super::*;

/// Images of three days, with their own sizes, names and views.
async fn of_three_days() -> (Fixture, Vec<ImageHash>) {
    let fixture = Fixture::new().await;
    let names: Vec<ImageHash> = (0..6).map(|n| hash(&format!("{n:02}"))).collect();
    // At noon and at one o'clock of the days 3, 4 and 9.
    let hours = [84, 85, 108, 109, 228, 229];
    let called = [
        Some("Zoo"),
        None,
        Some("apple"),
        Some("Äpfel"),
        None,
        Some("beach"),
    ];
    let sizes = [40, 10, 60, 20, 50, 30];
    let images = (0..6).map(|n| {
        let mut new = image(names[n], hours[n] * 3_600_000);
        new.image.size = sizes[n];
        new.name = called[n].map(str::to_owned);
        new.frames = if n == 2 { 5 } else { 1 };
        new
    });
    fixture.add(images.collect()).await;
    for (n, views) in [(1, 3), (4, 7)] {
        for _ in 0..views {
            fixture.service.stats().view(names[n]);
        }
    }
    fixture.service.stats().write().await.expect("written");
    (fixture, names)
}

#[tokio::test]
async fn images_come_in_the_wanted_order_and_only_those_of_a_filter() {
    let (fixture, names) = of_three_days().await;
    let places = async |wanted: ImageSearch, offset, limit| {
        let (found, total) = fixture.search(wanted, offset, limit).await;
        let place = |hash: &ImageHash| names.iter().position(|name| name == hash);
        let found: Vec<usize> = found.iter().filter_map(place).collect();
        (found, total)
    };
    for (order, expected) in [
        (ImageOrder::Newest, [5, 4, 3, 2, 1, 0]),
        (ImageOrder::Oldest, [0, 1, 2, 3, 4, 5]),
        (ImageOrder::Largest, [2, 4, 0, 5, 3, 1]),
        (ImageOrder::Views, [4, 1, 5, 3, 2, 0]),
        (ImageOrder::Name, [2, 5, 0, 3, 4, 1]),
    ] {
        let wanted = ImageSearch {
            order,
            ..ImageSearch::default()
        };
        let all = places(wanted.clone(), 0, 9).await;
        assert_eq!(all, (expected.to_vec(), 6), "{order:?}");
        let some = places(wanted, 2, 3).await;
        assert_eq!(some, (expected[2..5].to_vec(), 6), "{order:?}");
        let wanted = ImageSearch {
            order,
            ..ImageSearch::default()
        };
        let images = fixture.service.images();
        let hashes = images.hashes(wanted, 1, 3).await.expect("hashes");
        assert_eq!(
            hashes,
            expected[1..4]
                .iter()
                .map(|place| names[*place])
                .collect::<Vec<_>>()
        );
    }
    for (only, expected) in [
        (ImageFilter::Animated, vec![2]),
        (ImageFilter::Unnamed, vec![4, 1]),
        (ImageFilter::Unseen, vec![5, 3, 2, 0]),
        (ImageFilter::InNoPost, vec![5, 4, 2, 1]),
    ] {
        let wanted = ImageSearch {
            only: Some(only),
            in_posts: vec![names[0], names[3]],
            ..ImageSearch::default()
        };
        let found = places(wanted, 0, 9).await;
        assert_eq!(found.1, expected.len() as u64, "{only:?}");
        assert_eq!(found.0, expected, "{only:?}");
    }
    let both = ImageSearch {
        name: Some("a".to_owned()),
        order: ImageOrder::Largest,
        only: Some(ImageFilter::Unseen),
        ..ImageSearch::default()
    };
    assert_eq!(places(both, 0, 9).await, (vec![2, 5], 2));
}

#[tokio::test]
async fn the_images_of_each_day_are_counted_the_newest_day_first() {
    let (fixture, names) = of_three_days().await;
    let days = async |wanted: ImageSearch| {
        let days = fixture.service.images().days(wanted).await;
        let days = days.expect("days").into_iter();
        days.map(|day| (day.at / 3_600_000, day.count))
            .collect::<Vec<_>>()
    };
    // Noon is of the same day in nearly every zone.
    let all = days(ImageSearch::default()).await;
    assert_eq!(all, [(229, 2), (109, 2), (85, 2)]);
    let unseen = ImageSearch {
        only: Some(ImageFilter::Unseen),
        ..ImageSearch::default()
    };
    assert_eq!(days(unseen).await, [(229, 1), (109, 2), (84, 1)]);
    assert_eq!(days(prefix(&names[2].to_string())).await, [(108, 1)]);
}
