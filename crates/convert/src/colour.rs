//! Bringing colours to sRGB with 8 bits a sample: what every browser shows alike, and the only
//! thing that WebP holds.

use image::{DynamicImage, ImageBuffer, Pixel, RgbImage};
use moxcms::{
    Chromaticity, CicpColorPrimaries, CicpProfile, CmsError, ColorPrimaries, ColorProfile,
    DataColorSpace, Layout, MatrixCoefficients, ToneReprCurve, TransferCharacteristics,
    TransformExecutor, TransformOptions, XyY, curve_from_gamma,
};

use super::ConvertError;
use super::error::caught;
use super::hdr::ToneMap;

/// A profile that moves no colour further than this, of 255, is sRGB by another name: its pixels
/// are left alone, and a WebP that carries it is not encoded a second time.
const SAME: u8 = 2;

impl From<CmsError> for ConvertError {
    fn from(error: CmsError) -> Self {
        Self::invalid(error)
    }
}

/// How a file describes its colours; none as sRGB, or not at all.
pub(super) type Profile = Option<Box<ColorProfile>>;

/// An ICC profile. A broken one counts as none: the picture is worth more than its description of its
/// colours.
pub(super) fn by_icc(icc: &[u8]) -> Profile {
    caught(|| Ok(Box::new(ColorProfile::new_from_slice(icc)?))).ok()
}

/// Colours by number, as ITU-T H.273 has them. None for those of sRGB, and for what is not known. The curve
/// of television counts as that of sRGB, as in every browser.
pub(super) fn by_numbers(primaries: u8, transfer: u8) -> Profile {
    let primaries = if primaries == 2 { 1 } else { primaries };
    let transfer = match transfer {
        1 | 2 | 6 | 14 | 15 => 13,
        other => other,
    };
    if matches!((primaries, transfer), (1 | 5 | 6, 13)) {
        return None;
    }
    Some(Box::new(ColorProfile::new_from_cicp(CicpProfile {
        color_primaries: CicpColorPrimaries::try_from(primaries).ok()?,
        transfer_characteristics: TransferCharacteristics::try_from(transfer).ok()?,
        matrix_coefficients: MatrixCoefficients::Identity,
        full_range: true,
    })))
}

/// Colours by what a sample is raised to to become light, and by x and y of white, red, green and blue; those
/// of sRGB where there are none.
pub(super) fn by_gamma(exponent: f64, chromaticities: Option<[(f64, f64); 4]>) -> Profile {
    let of_gamma = || {
        let mut profile = with_curve(Some(curve_from_gamma(exponent as f32)));
        if let Some([(x, y), red, green, blue]) = chromaticities {
            let at = |(x, y): (f64, f64)| Chromaticity::new(x as f32, y as f32);
            let primaries = ColorPrimaries {
                red: at(red),
                green: at(green),
                blue: at(blue),
            };
            profile.update_rgb_colorimetry(XyY { x, y, yb: 1.0 }, primaries);
        }
        Ok(profile)
    };
    caught(of_gamma).ok().map(Box::new)
}

/// The way from one source's colours to sRGB.
pub(super) enum Colour {
    /// The samples are sRGB already, or nothing is known of them.
    AsTheyAre,
    Profile {
        profile: Box<ColorProfile>,
        /// Whether it moves colours, and whether it moves greys.
        moves: [bool; 2],
    },
    /// Brighter than white.
    Hdr(Box<ToneMap>),
}

impl Colour {
    pub(super) fn new(profile: Profile) -> Self {
        let Some(mut profile) = profile else {
            return Self::AsTheyAre;
        };
        if let Some(map) = profile.cicp.and_then(ToneMap::of) {
            return Self::Hdr(Box::new(map));
        }
        let has_colour = match profile.color_space {
            DataColorSpace::Rgb => true,
            DataColorSpace::Gray => {
                *profile = with_curve(profile.gray_trc);
                false
            }
            _ => return Self::AsTheyAre,
        };
        Self::Profile {
            moves: [has_colour && moves(&profile, true), moves(&profile, false)],
            profile,
        }
    }

    /// Whether red, green and blue would come out other than they went in.
    pub(super) fn changes(&self) -> bool {
        match self {
            Self::AsTheyAre => false,
            Self::Profile { moves, .. } => moves[0],
            Self::Hdr(_) => true,
        }
    }

    /// The image in sRGB, with red, green and blue of 8 bits, and alpha where it has one.
    pub(super) fn srgb(&self, image: DynamicImage) -> Result<DynamicImage, ConvertError> {
        let is_grey = !image.color().has_color();
        let image = match self {
            Self::Profile { profile, moves } if moves[usize::from(is_grey)] => {
                let image = caught(|| in_srgb(profile, image))?;
                // Neutral stays neutral in every sane profile.
                if is_grey { image.grayscale() } else { image }
            }
            Self::Hdr(map) => map.apply(image),
            _ => image,
        };
        Ok(if image.color().has_alpha() {
            image.into_rgba8().into()
        } else {
            image.into_rgb8().into()
        })
    }
}

/// sRGB but for its curve.
fn with_curve(curve: Option<ToneReprCurve>) -> ColorProfile {
    let mut profile = ColorProfile::new_srgb();
    profile.cicp = None;
    profile.red_trc = curve.clone();
    profile.green_trc = curve.clone();
    profile.blue_trc = curve;
    profile
}

/// Whether a profile moves one of the colours of a coarse grid through the whole cube, or one of the greys.
fn moves(profile: &ColorProfile, has_colour: bool) -> bool {
    const STEPS: [u8; 7] = [0, 24, 64, 112, 160, 208, 255];
    const SIDE: usize = STEPS.len();
    let colour = |number: usize| {
        if has_colour {
            [number / SIDE / SIDE, number / SIDE, number].map(|step| STEPS[step % SIDE])
        } else {
            [number as u8; 3]
        }
    };
    let count = if has_colour { SIDE.pow(3) } else { 256 };
    let before = RgbImage::from_fn(count as u32, 1, |at, _| image::Rgb(colour(at as usize)));
    let after = caught(|| Ok(in_srgb(profile, before.clone().into())?.into_rgb8()));
    let is_far = |(before, after): (&u8, &u8)| before.abs_diff(*after) > SAME;
    after.is_ok_and(|after| before.iter().zip(after.iter()).any(is_far))
}

/// The image by a profile of red, green and blue; with red, green and blue itself.
fn in_srgb(profile: &ColorProfile, image: DynamicImage) -> Result<DynamicImage, ConvertError> {
    let (srgb, options) = (ColorProfile::new_srgb(), TransformOptions::default());
    let eight = |layout| profile.create_transform_8bit(layout, &srgb, layout, options);
    let sixteen = |layout| profile.create_transform_16bit(layout, &srgb, layout, options);
    let kind = image.color();
    let is_deep = kind.bytes_per_pixel() > kind.channel_count();
    match (is_deep, kind.has_alpha()) {
        (false, false) => moved(&image.into_rgb8(), &*eight(Layout::Rgb)?),
        (false, true) => moved(&image.into_rgba8(), &*eight(Layout::Rgba)?),
        (true, false) => moved(&image.into_rgb16(), &*sixteen(Layout::Rgb)?),
        (true, true) => moved(&image.into_rgba16(), &*sixteen(Layout::Rgba)?),
    }
}

fn moved<P: Pixel>(
    from: &ImageBuffer<P, Vec<P::Subpixel>>,
    transform: &(dyn TransformExecutor<P::Subpixel> + Send + Sync),
) -> Result<DynamicImage, ConvertError>
where
    P::Subpixel: Default,
    DynamicImage: From<ImageBuffer<P, Vec<P::Subpixel>>>,
{
    let mut to = ImageBuffer::new(from.width(), from.height());
    transform.transform(from, &mut to)?;
    Ok(to.into())
}

/// The colours of ink, in sRGB: amounts of cyan, magenta, yellow and black, of which 0 is none. By a profile,
/// where there is one of ink.
pub(super) fn of_ink(
    ink: &[u8],
    (width, height): (u32, u32),
    profile: Profile,
) -> Result<DynamicImage, ConvertError> {
    let mut image = RgbImage::new(width, height);
    let profile = profile.filter(|profile| profile.color_space == DataColorSpace::Cmyk);
    let by_profile = profile.map(|profile| {
        caught(|| {
            let (srgb, options) = (ColorProfile::new_srgb(), TransformOptions::default());
            let to = Layout::Rgb;
            let transform = profile.create_transform_8bit(Layout::Rgba, &srgb, to, options)?;
            Ok(transform.transform(ink, &mut image)?)
        })
    });
    if by_profile.is_none_or(|done| done.is_err()) {
        for (to, ink) in image.pixels_mut().zip(ink.as_chunks::<4>().0) {
            to.0 = mixed(ink.map(u32::from));
        }
    }
    Ok(image.into())
}

/// Ink to light without a profile, as browsers do: what each ink and black let through.
fn mixed([c, m, y, k]: [u32; 4]) -> [u8; 3] {
    [c, m, y].map(|ink| (((255 - ink) * (255 - k) + 127) / 255) as u8)
}

#[cfg(test)]
mod tests {
    use image::{GrayAlphaImage, ImageBuffer, Luma};

    use super::*;

    #[test]
    fn sixteen_bits_become_the_nearest_of_eight() {
        let eight = |sample: u16| {
            let image = ImageBuffer::from_pixel(1, 1, Luma([sample]));
            Colour::AsTheyAre.srgb(image.into()).unwrap().as_bytes()[0]
        };
        for level in 0..=255_u16 {
            assert_eq!(u16::from(eight(level * 257)), level);
        }
        assert_eq!(eight(128), 0);
        assert_eq!(eight(129), 1);
        assert_eq!(eight(65_535 - 129), 254);
    }

    #[test]
    fn srgb_under_any_name_changes_nothing_and_display_p3_does() {
        let srgb = ColorProfile::new_srgb().encode().unwrap();
        let of = |icc: &[u8]| Colour::new(by_icc(icc));
        assert!(!of(&srgb).changes());
        assert!(!of(b"not a profile").changes());
        assert!(!Colour::new(None).changes());
        let p3 = ColorProfile::new_display_p3().encode().unwrap();
        assert!(of(&p3).changes());
        let greys = DynamicImage::from(image::GrayImage::from_fn(256, 1, |x, _| Luma([x as u8])));
        let same = of(&p3).srgb(greys.clone()).unwrap();
        assert_eq!(same, greys.into_rgb8().into(), "the same curve as sRGB");
    }

    #[test]
    fn a_grey_profile_bends_grey_and_leaves_alpha() {
        let linear = ColorProfile::new_gray_with_gamma(1.0).encode().unwrap();
        let colour = Colour::new(by_icc(&linear));
        let image = GrayAlphaImage::from_raw(2, 1, vec![55, 55, 255, 1]).unwrap();
        let image = colour.srgb(image.into()).unwrap();
        let [[red, green, blue, first], [light, .., second]] = image.as_bytes().as_chunks::<4>().0
        else {
            panic!("two pixels");
        };
        // 55/255 linear is 0.2157; sRGB encodes that as 128.
        assert!(
            red.abs_diff(128) <= 1 && red == green && green == blue,
            "{red}"
        );
        assert_eq!((*first, *second), (55, 1));
        assert!(*light >= 254);
        assert!(!colour.changes(), "a profile of another kind");
    }

    #[test]
    fn cmyk_without_a_profile_is_converted_by_transmission() {
        let ink = [0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 255, 0, 255, 255, 51];
        let image = of_ink(&ink, (4, 1), None).unwrap();
        assert_eq!(
            image.as_bytes(),
            [255, 255, 255, 0, 255, 255, 0, 0, 0, 204, 0, 0]
        );
    }
}
