//! Containers that no program at hand writes, made of the pieces of files that one wrote.

use super::container::Container;
use super::{ConvertError, ConvertOptions, decode, is_prepared, prepare};
use crate::colour::Colour;
use image::DynamicImage;

fn picture(name: &str) -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/pictures/");
    std::fs::read(format!("{path}{name}")).expect(name)
}

fn framed(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32 + 8).to_be_bytes()[..], kind, body].concat()
}

fn full(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    framed(kind, &[&[0; 4], body].concat())
}

/// An item: its kind, its bytes and its properties.
struct Item {
    kind: [u8; 4],
    payload: Vec<u8>,
    properties: Vec<Vec<u8>>,
}

/// A file of these items, numbered from 1, of which the first is the picture. References have their kind,
/// where they are from, and where they go.
fn file(brand: &[u8; 4], items: &[Item], references: &[(&[u8; 4], u16, &[u16])]) -> Vec<u8> {
    let number = |at: usize| (at as u16 + 1).to_be_bytes();
    let (mut infos, mut places, mut mdat) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ipco, mut ipma, mut count) = (Vec::new(), Vec::new(), 0_u8);
    for (at, item) in items.iter().enumerate() {
        infos.extend(framed(
            b"infe",
            &[&[2, 0, 0, 0][..], &number(at), &[0, 0], &item.kind, &[0]].concat(),
        ));
        places.extend([&number(at)[..], &[0, 0, 0, 1]].concat());
        places.extend((mdat.len() as u32).to_be_bytes());
        places.extend((item.payload.len() as u32).to_be_bytes());
        mdat.extend(&item.payload);
        ipma.extend([&number(at)[..], &[item.properties.len() as u8]].concat());
        for property in &item.properties {
            ipco.extend(property);
            count += 1;
            ipma.push(count);
        }
    }
    let total = (items.len() as u16).to_be_bytes();
    let iref: Vec<u8> = references
        .iter()
        .flat_map(|(kind, from, to)| {
            let ids = to.iter().flat_map(|id| id.to_be_bytes());
            let body: Vec<u8> = from
                .to_be_bytes()
                .into_iter()
                .chain((to.len() as u16).to_be_bytes())
                .chain(ids)
                .collect();
            framed(kind, &body)
        })
        .collect();
    // Offsets count from the start of the box of data.
    let meta = |base: u32| {
        let mut iloc = vec![0x44, 0x40];
        iloc.extend(total);
        for place in places.chunks_exact(14) {
            iloc.extend(&place[..4]);
            iloc.extend(base.to_be_bytes());
            iloc.extend(&place[4..]);
        }
        let ipma = [&(items.len() as u32).to_be_bytes()[..], &ipma].concat();
        full(
            b"meta",
            &[
                full(b"pitm", &1_u16.to_be_bytes()),
                full(b"iinf", &[&total[..], &infos].concat()),
                full(b"iloc", &iloc),
                full(b"iref", &iref),
                framed(
                    b"iprp",
                    &[framed(b"ipco", &ipco), full(b"ipma", &ipma)].concat(),
                ),
            ]
            .concat(),
        )
    };
    let ftyp = framed(b"ftyp", &[&brand[..], &[0; 4], brand].concat());
    let base = (ftyp.len() + meta(0).len() + 8) as u32;
    [ftyp, meta(base), framed(b"mdat", &mdat)].concat()
}

fn ispe(width: u32, height: u32) -> Vec<u8> {
    full(
        b"ispe",
        &[width.to_be_bytes(), height.to_be_bytes()].concat(),
    )
}

/// The picture of a sample, with its own properties but for those that turn it.
fn piece(name: &str, kind: [u8; 4]) -> Item {
    let source = picture(name);
    let container = Container::parse(&source).expect(name);
    let (_, payload) = container.payload(container.primary).expect(name);
    let (width, height) = container.size(container.primary).expect(name);
    let mut properties = vec![ispe(width, height)];
    if let Some(settings) = container.hevc_settings(container.primary) {
        properties.push(framed(b"hvcC", settings));
    }
    Item {
        kind,
        payload,
        properties,
    }
}

fn grid(columns: u8, rows: u8, width: u16, height: u16) -> Item {
    let payload = [
        &[0, 0, rows - 1, columns - 1][..],
        &width.to_be_bytes(),
        &height.to_be_bytes(),
    ]
    .concat();
    Item {
        kind: *b"grid",
        payload,
        properties: vec![ispe(width.into(), height.into())],
    }
}

fn alpha() -> Vec<u8> {
    full(b"auxC", b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")
}

fn shown(source: &[u8]) -> DynamicImage {
    let still = decode(source, &ConvertOptions::UNLIMITED).expect("a picture");
    Colour::new(still.profile).srgb(still.image).expect("sRGB")
}

/// The whole of a sample that its own file cuts to an even size.
fn whole(name: &str, kind: [u8; 4]) -> DynamicImage {
    let brand = if kind == *b"av01" { b"avif" } else { b"heic" };
    shown(&file(brand, &[piece(name, kind)], &[]))
}

#[test]
fn a_heic_of_pieces_is_one_picture() {
    let one = whole("full-chroma.heic", *b"hvc1");
    let (width, height) = (one.width() as usize, one.height() as usize);
    let shown_width = width * 2 - 6;
    let items = [
        grid(2, 1, shown_width as u16, height as u16),
        piece("full-chroma.heic", *b"hvc1"),
        piece("full-chroma.heic", *b"hvc1"),
    ];
    let two = shown(&file(b"heic", &items, &[(b"dimg", 1, &[2, 3])]));
    assert_eq!(
        (two.width() as usize, two.height() as usize),
        (shown_width, height)
    );
    let rows = two.as_bytes().chunks_exact(shown_width * 3);
    for (two, one) in rows.zip(one.as_bytes().chunks_exact(width * 3)) {
        assert_eq!(&two[..width * 3], one);
        assert_eq!(&two[width * 3..], &one[..(width - 6) * 3]);
    }
}

#[test]
fn the_alpha_of_each_piece_of_an_avif_is_its_alpha() {
    let mut of_piece = piece("grey.avif", *b"av01");
    of_piece.properties.push(alpha());
    let (width, height) = (48, 36);
    let colour = || piece("lossy.avif", *b"av01");
    let again = || Item {
        kind: *b"av01",
        payload: of_piece.payload.clone(),
        properties: of_piece.properties.clone(),
    };
    let items = [
        grid(2, 1, width * 2, height),
        colour(),
        colour(),
        again(),
        again(),
    ];
    let references: [(&[u8; 4], u16, &[u16]); 3] = [
        (b"dimg", 1, &[2, 3]),
        (b"auxl", 4, &[2]),
        (b"auxl", 5, &[3]),
    ];
    let whole = shown(&file(b"avif", &items, &references));
    let grey = shown(&picture("grey.avif"));
    let (pixels, greys) = (
        whole.as_bytes().as_chunks::<4>().0,
        grey.as_bytes().as_chunks::<3>().0,
    );
    for y in 0..usize::from(height) {
        for x in 0..usize::from(width * 2) {
            let alpha = pixels[y * usize::from(width * 2) + x][3];
            let grey = greys[y * usize::from(width) + x % usize::from(width)][1];
            assert!(alpha.abs_diff(grey) <= 1, "{x},{y}: {alpha} {grey}");
        }
    }
}

#[test]
fn one_alpha_of_a_whole_grid_is_its_alpha_and_one_of_another_size_is_refused() {
    let alpha = || {
        let mut item = piece("grey.avif", *b"av01");
        item.properties.push(alpha());
        item
    };
    let colour = || piece("lossy.avif", *b"av01");
    let whole = [grid(1, 1, 48, 36), colour(), alpha()];
    let references: [(&[u8; 4], u16, &[u16]); 2] = [(b"dimg", 1, &[2]), (b"auxl", 3, &[1])];
    let is = shown(&file(b"avif", &whole, &references));
    let plain = shown(&file(b"avif", &[colour(), alpha()], &[(b"auxl", 2, &[1])]));
    assert_eq!(is, plain);
    assert!(
        is.as_bytes()
            .as_chunks::<4>()
            .0
            .iter()
            .any(|pixel| pixel[3] < 200)
    );
    let pair = [grid(2, 1, 96, 36), colour(), colour(), alpha()];
    let references: [(&[u8; 4], u16, &[u16]); 2] = [(b"dimg", 1, &[2, 3]), (b"auxl", 4, &[1])];
    let wrong = decode(
        &file(b"avif", &pair, &references),
        &ConvertOptions::UNLIMITED,
    );
    assert!(matches!(wrong, Err(ConvertError::Invalid(_))), "{wrong:?}");
}

#[test]
fn the_turn_of_an_alpha_does_not_count() {
    let mut of_it = piece("grey.avif", *b"av01");
    of_it.properties.extend([alpha(), framed(b"irot", &[1])]);
    let items = [piece("lossy.avif", *b"av01"), of_it];
    let whole = shown(&file(b"avif", &items, &[(b"auxl", 2, &[1])]));
    let grey = shown(&picture("grey.avif"));
    let alphas = whole
        .as_bytes()
        .as_chunks::<4>()
        .0
        .iter()
        .map(|pixel| pixel[3]);
    let greys = grey
        .as_bytes()
        .as_chunks::<3>()
        .0
        .iter()
        .map(|pixel| pixel[1]);
    assert!(
        alphas
            .zip(greys)
            .all(|(alpha, grey)| alpha.abs_diff(grey) <= 1)
    );
}

#[test]
fn of_a_gain_map_the_base_picture_is_shown() {
    let map = Item {
        kind: *b"tmap",
        payload: vec![0; 62],
        properties: vec![ispe(48, 36)],
    };
    let items = [
        piece("lossy.avif", *b"av01"),
        map,
        piece("grey.avif", *b"av01"),
    ];
    let source = file(b"avif", &items, &[(b"dimg", 2, &[1, 3])]);
    assert_eq!(shown(&source), shown(&picture("lossy.avif")));
}

#[test]
fn what_lies_outside_of_a_crop_is_cut_off() {
    let all = whole("full-chroma.heic", *b"hvc1");
    let mut cut = piece("full-chroma.heic", *b"hvc1");
    // 21 by 11 pixels, whose middle is 3 to the right of that of the whole and 2.5 above it.
    let fractions: [(i32, i32); 4] = [(21, 1), (11, 1), (6, 2), (-5, 2)];
    let numbers = fractions
        .iter()
        .flat_map(|(n, d)| [n.to_be_bytes(), d.to_be_bytes()]);
    let clap: Vec<u8> = numbers.flatten().collect();
    cut.properties.push(framed(b"clap", &clap));
    let cut = shown(&file(b"heic", &[cut], &[]));
    assert_eq!((cut.width(), cut.height()), (21, 11));
    let (left, top) = (
        (all.width() as usize - 21 + 6) / 2,
        (all.height() as usize - 11 - 5) / 2,
    );
    for (y, row) in cut.as_bytes().chunks_exact(21 * 3).enumerate() {
        let start = ((top + y) * all.width() as usize + left) * 3;
        assert_eq!(row, &all.as_bytes()[start..start + 21 * 3], "row {y}");
    }
}

/// How a unit of a picture that needs no other begins.
const SLICE: u8 = 20 << 1;

#[test]
fn a_broken_piece_breaks_its_picture_and_not_the_next() {
    let one = whole("full-chroma.heic", *b"hvc1");
    let (width, height) = (one.width() as u16, one.height() as u16);
    let of = |broken: Option<usize>| {
        let mut items = vec![grid(3, 4, 3 * width, 4 * height)];
        items.extend((0..12).map(|_| piece("full-chroma.heic", *b"hvc1")));
        if let Some(piece) = broken {
            // The slice, behind the two bytes of its header.
            let payload = &mut items[piece].payload;
            let slice = payload.windows(2).position(|two| two == [SLICE, 1]);
            payload[slice.expect("a slice") + 2..][1..].fill(0);
        }
        let tiles: Vec<u16> = (2..14).collect();
        let source = file(b"heic", &items, &[(b"dimg", 1, &tiles)]);
        decode(&source, &ConvertOptions::UNLIMITED).map(|still| still.image)
    };
    prepare();
    let all = of(None).expect("a picture");
    assert!(is_prepared());
    for broken in [1, 7, 12] {
        assert!(matches!(of(Some(broken)), Err(ConvertError::Invalid(_))));
        assert!(of(None).expect("a picture") == all);
    }
    assert!(!is_prepared(), "a confined process has to end");
}

/// The decoder knows of what it decoded before.
#[test]
fn a_heic_that_lacks_its_settings_or_needs_another_picture_is_refused_after_a_good_one() {
    let of = |change: fn(&mut Item)| {
        let mut item = piece("full-chroma.heic", *b"hvc1");
        change(&mut item);
        decode(&file(b"heic", &[item], &[]), &ConvertOptions::UNLIMITED).map(|still| still.image)
    };
    of(|_| {}).expect("a picture");
    let bare = of(|item| item.properties[1] = framed(b"hvcC", &[&[3; 22][..], &[0]].concat()));
    assert!(matches!(bare, Err(ConvertError::Invalid(_))));
    let other = of(|item| {
        let slice = item.payload.windows(2).position(|two| two == [SLICE, 1]);
        item.payload[slice.expect("a slice")] = 1 << 1;
    });
    assert!(matches!(other, Err(ConvertError::Invalid(_))));
}

/// The mean difference of what is seen, of 255.
fn off(is: &DynamicImage, should: &image::RgbaImage) -> f64 {
    let is = is.to_rgba8();
    assert_eq!(is.dimensions(), should.dimensions());
    let seen = is.as_chunks::<4>().0.iter().zip(should.pixels());
    let (sum, count) =
        seen.filter(|(_, should)| should.0[3] > 0)
            .fold((0, 0), |(sum, count), (is, should)| {
                let off = is
                    .iter()
                    .zip(should.0)
                    .map(|(a, b)| u32::from(a.abs_diff(b)));
                (sum + off.sum::<u32>(), count + 4)
            });
    f64::from(sum) / f64::from(count)
}

/// They differ where libheif takes the nearest chroma, and not what lies between two samples of it.
#[test]
fn heic_looks_as_libheif_shows_it() {
    for name in [
        "lossy",
        "full-chroma",
        "grey",
        "ten-bits",
        "odd-sides",
        "alpha",
        "grid",
    ] {
        let is = shown(&picture(&format!("{name}.heic")));
        let should = image::load_from_memory(&picture(&format!("libheif/{name}.png")));
        let mean = off(&is, &should.expect("a PNG").to_rgba8());
        assert!(mean < 2.0, "{name}: {mean:.2}");
    }
}

/// `cargo test --release -p porchlight-convert twelve -- --ignored --nocapture`
#[test]
#[ignore = "it measures time, which is right in a release build alone"]
fn twelve_megapixels_of_a_phone_take_at_most_a_fifth_longer_than_as_a_jpeg() {
    let (columns, rows, side) = (8_u16, 6_u16, 512_u32);
    let (width, height) = (4_032_u16, 3_024_u16);
    let p3 = moxcms::ColorProfile::new_display_p3();
    let p3 = p3.encode().expect("a profile");
    let whole = || grid(columns as u8, rows as u8, width, height);
    let mut heic = vec![whole()];
    let profile = framed(b"colr", &[b"prof", &p3[..]].concat());
    heic[0].properties.push(profile);
    heic.extend((0..columns * rows).map(|_| piece("phone-tile.heic", *b"hvc1")));
    let tiles: Vec<u16> = (2..2 + columns * rows).collect();
    let heic = file(b"heic", &heic, &[(b"dimg", 1, &tiles)]);

    let still = decode(&heic, &ConvertOptions::UNLIMITED).expect("a picture");
    assert_eq!(still.image.width(), u32::from(columns) * side - 64);
    let mut jpeg = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, 90);
    still.image.write_with_encoder(encoder).expect("a JPEG");
    let mut jpeg = img_parts::jpeg::Jpeg::from_bytes(jpeg.into()).expect("a JPEG");
    img_parts::ImageICC::set_icc_profile(&mut jpeg, Some(p3.into()));
    let jpeg = jpeg.encoder().bytes();

    let options = crate::ConvertOptions {
        quality: 80,
        max_side: 0,
        max_pixels: u64::MAX,
        max_animation_pixels: u64::MAX,
    };
    let median = |source: &[u8]| {
        let mut times: Vec<_> = (0..5)
            .map(|_| {
                let began = std::time::Instant::now();
                crate::convert(source, &options).expect("converted");
                began.elapsed()
            })
            .collect();
        times.sort();
        times[2]
    };
    let (of_heic, of_jpeg) = (median(&heic), median(&jpeg));
    eprintln!(
        "HEIC ({} KiB): {of_heic:.2?}; JPEG ({} KiB): {of_jpeg:.2?}",
        heic.len() >> 10,
        jpeg.len() >> 10
    );
    assert!(of_heic <= of_jpeg.mul_f64(1.2));
}
