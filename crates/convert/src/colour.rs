//! Bringing colours to sRGB with 8 bits a sample: what every browser shows alike, and the only
//! thing that WebP holds.

use std::sync::Arc;

use moxcms::{
    Chromaticity, CicpColorPrimaries, CicpProfile, ColorPrimaries, ColorProfile, DataColorSpace,
    MatrixCoefficients, TransferCharacteristics, TransformExecutor, TransformOptions, XyY,
    curve_from_gamma,
};

use super::ConvertError;
use super::error::caught;
use super::hdr::ToneMap;
use super::picture::{Channels, Layout, Picture, Raster, Samples};
use super::space::{Gamma, Numbers, Space};

/// A profile that moves no colour further than this, of 255, is sRGB by another name: its pixels
/// are left alone, and a WebP that carries it is not encoded a second time.
const SAME: u8 = 2;

type Transform<T> = Arc<dyn TransformExecutor<T> + Send + Sync>;

impl Numbers {
    /// None for those of sRGB, and for what is not known. The curve of television counts as that of
    /// sRGB, as in every browser.
    fn profile(self) -> Option<ColorProfile> {
        const SRGB: [u8; 4] = [1, 2, 5, 6];
        let transfer = match self.transfer {
            1 | 2 | 6 | 14 | 15 => 13,
            other => other,
        };
        if SRGB.contains(&self.primaries) && transfer == 13 {
            return None;
        }
        let primaries = if self.primaries == 2 {
            1
        } else {
            self.primaries
        };
        Some(ColorProfile::new_from_cicp(CicpProfile {
            color_primaries: CicpColorPrimaries::try_from(primaries).ok()?,
            transfer_characteristics: TransferCharacteristics::try_from(transfer).ok()?,
            matrix_coefficients: MatrixCoefficients::Identity,
            full_range: true,
        }))
    }
}

impl Gamma {
    fn profile(self) -> ColorProfile {
        let mut profile = ColorProfile::new_srgb();
        profile.cicp = None;
        if let Some([white, red, green, blue]) = self.chromaticities {
            let at = |(x, y): (f64, f64)| Chromaticity::new(x as f32, y as f32);
            let (x, y) = white;
            let primaries = ColorPrimaries {
                red: at(red),
                green: at(green),
                blue: at(blue),
            };
            profile.update_rgb_colorimetry(XyY { x, y, yb: 1.0 }, primaries);
        }
        let curve = curve_from_gamma(self.exponent as f32);
        profile.red_trc = Some(curve.clone());
        profile.green_trc = Some(curve.clone());
        profile.blue_trc = Some(curve);
        profile
    }
}

/// What is known of one source's colours.
enum Source {
    Srgb,
    Profile(Box<ColorProfile>),
    /// Brighter than white.
    Hdr(Numbers),
}

/// The way from one source's colours to sRGB.
pub(super) struct Colour {
    source: Source,
    /// The conversion that was asked for last, and for what; all frames of an animation ask alike.
    latest: Option<((Channels, bool), Conversion)>,
}

enum Conversion {
    /// The samples are sRGB already, or nothing is known of them.
    AsTheyAre,
    /// One curve for grey, of 256 or 65,536 steps.
    Curve(Vec<u8>),
    Eight(Transform<u8>),
    Sixteen(Transform<u16>),
    ToneMap(Box<ToneMap>),
}

impl Colour {
    /// A broken profile counts as none: the picture is worth more than its description of its
    /// colours.
    pub(super) fn new(space: &Space) -> Self {
        let (profile, numbers) = match space {
            Space::Srgb => (None, None),
            Space::Icc(icc) => {
                let read = || ColorProfile::new_from_slice(icc).map_err(ConvertError::invalid);
                let profile = caught(read).ok();
                let numbers = profile.as_ref().and_then(|profile| profile.cicp);
                let numbers = numbers.map(|numbers| Numbers {
                    primaries: numbers.color_primaries as u8,
                    transfer: numbers.transfer_characteristics as u8,
                });
                (profile, numbers)
            }
            Space::Numbers(numbers) => (numbers.profile(), Some(*numbers)),
            Space::Gamma(gamma) => (caught(|| Ok(gamma.profile())).ok(), None),
        };
        let source = match (numbers.filter(|numbers| numbers.is_hdr()), profile) {
            (Some(numbers), _) => Source::Hdr(numbers),
            (None, Some(profile)) => Source::Profile(Box::new(profile)),
            (None, None) => Source::Srgb,
        };
        Self {
            source,
            latest: None,
        }
    }

    /// Whether pixels of this kind, of 8 bits, would come out other than they went in.
    pub(super) fn changes(&mut self, channels: Channels) -> bool {
        !matches!(self.conversion(channels, false), Conversion::AsTheyAre)
    }

    /// The raster in sRGB, with 8 bits a sample.
    pub(super) fn srgb(&mut self, raster: Raster) -> Result<Picture, ConvertError> {
        let Raster {
            width,
            height,
            channels,
            samples,
        } = raster;
        let sixteen = matches!(samples, Samples::Sixteen(_));
        let conversion = self.conversion(channels, sixteen);
        let pixels = caught(|| converted(samples, channels, conversion))?;
        let layout = if channels.has_alpha() {
            Layout::Rgba
        } else {
            Layout::Rgb
        };
        Ok(Picture {
            width,
            height,
            layout,
            pixels,
        })
    }

    fn conversion(&mut self, channels: Channels, sixteen: bool) -> &Conversion {
        let key = (channels, sixteen);
        if self
            .latest
            .as_ref()
            .is_none_or(|(made_for, _)| *made_for != key)
        {
            let conversion = caught(|| {
                Ok(match &self.source {
                    Source::Srgb => None,
                    Source::Hdr(numbers) => {
                        ToneMap::of(*numbers).map(|map| Conversion::ToneMap(Box::new(map)))
                    }
                    Source::Profile(profile) => conversion(profile, channels, sixteen),
                })
            });
            let conversion = conversion.ok().flatten();
            self.latest = Some((key, conversion.unwrap_or(Conversion::AsTheyAre)));
        }
        match &self.latest {
            Some((_, conversion)) => conversion,
            None => &Conversion::AsTheyAre,
        }
    }
}

/// None where the profile is of another kind than the pixels, or changes nothing.
fn conversion(profile: &ColorProfile, channels: Channels, sixteen: bool) -> Option<Conversion> {
    let (from, to) = match (channels, profile.color_space) {
        (Channels::Grey | Channels::GreyAlpha, DataColorSpace::Gray | DataColorSpace::Rgb) => {
            return grey_curve(profile, sixteen);
        }
        (Channels::Rgb, DataColorSpace::Rgb) => (moxcms::Layout::Rgb, moxcms::Layout::Rgb),
        (Channels::Rgba, DataColorSpace::Rgb) => (moxcms::Layout::Rgba, moxcms::Layout::Rgba),
        (Channels::Cmyk, DataColorSpace::Cmyk) => (moxcms::Layout::Rgba, moxcms::Layout::Rgb),
        _ => return None,
    };
    let srgb = ColorProfile::new_srgb();
    let options = TransformOptions::default();
    if channels != Channels::Cmyk && is_srgb(profile)? {
        return None;
    }
    if sixteen {
        profile
            .create_transform_16bit(from, &srgb, to, options)
            .ok()
            .map(Conversion::Sixteen)
    } else {
        profile
            .create_transform_8bit(from, &srgb, to, options)
            .ok()
            .map(Conversion::Eight)
    }
}

/// Whether the colours of a coarse grid through the whole cube stay where they are.
fn is_srgb(profile: &ColorProfile) -> Option<bool> {
    const STEPS: [u8; 7] = [0, 24, 64, 112, 160, 208, 255];
    let grid: Vec<u8> = STEPS
        .iter()
        .flat_map(|&r| {
            STEPS
                .iter()
                .flat_map(move |&g| STEPS.iter().flat_map(move |&b| [r, g, b]))
        })
        .collect();
    let moved = transform_rgb(profile, &grid)?;
    Some(
        grid.iter()
            .zip(&moved)
            .all(|(before, after)| before.abs_diff(*after) <= SAME),
    )
}

fn transform_rgb(profile: &ColorProfile, pixels: &[u8]) -> Option<Vec<u8>> {
    let (srgb, options) = (ColorProfile::new_srgb(), TransformOptions::default());
    let transform = profile
        .create_transform_8bit(moxcms::Layout::Rgb, &srgb, moxcms::Layout::Rgb, options)
        .ok()?;
    let mut moved = vec![0; pixels.len()];
    transform.transform(pixels, &mut moved).ok()?;
    Some(moved)
}

/// What becomes of each level of grey. Neutral stays neutral in every sane profile, so the green
/// of the result stands for all three and the picture stays grey.
fn grey_curve(profile: &ColorProfile, sixteen: bool) -> Option<Conversion> {
    let (srgb, options) = (ColorProfile::new_srgb(), TransformOptions::default());
    let levels: Vec<u16> = if sixteen {
        (0..=u16::MAX).collect()
    } else {
        (0..=255).map(|level| level * 257).collect()
    };
    let (layout, ramp) = if profile.color_space == DataColorSpace::Gray {
        (moxcms::Layout::Gray, levels.clone())
    } else {
        (
            moxcms::Layout::Rgb,
            levels.iter().flat_map(|&level| [level; 3]).collect(),
        )
    };
    let transform = profile
        .create_transform_16bit(layout, &srgb, moxcms::Layout::Rgb, options)
        .ok()?;
    let mut moved = vec![0_u16; levels.len() * 3];
    transform.transform(&ramp, &mut moved).ok()?;
    let curve: Vec<u8> = moved
        .as_chunks::<3>()
        .0
        .iter()
        .map(|rgb| to_eight(rgb[1]))
        .collect();
    let changes = levels
        .iter()
        .zip(&curve)
        .any(|(&before, &after)| to_eight(before).abs_diff(after) > SAME);
    changes.then_some(Conversion::Curve(curve))
}

/// The samples as pixels of red, green and blue, with alpha where there is one.
fn converted(
    samples: Samples,
    channels: Channels,
    conversion: &Conversion,
) -> Result<Vec<u8>, ConvertError> {
    let has_colours = matches!(channels, Channels::Rgb | Channels::Rgba);
    // Ink becomes three colours.
    let length = |samples: usize| {
        if channels == Channels::Cmyk {
            samples / 4 * 3
        } else {
            samples
        }
    };
    Ok(match (conversion, samples) {
        (Conversion::AsTheyAre, Samples::Eight(samples)) if has_colours => samples,
        (Conversion::Eight(transform), Samples::Eight(samples)) => {
            let mut pixels = vec![0; length(samples.len())];
            transform
                .transform(&samples, &mut pixels)
                .map_err(ConvertError::invalid)?;
            pixels
        }
        (Conversion::Sixteen(transform), Samples::Sixteen(samples)) => {
            let mut pixels = vec![0; length(samples.len())];
            transform
                .transform(&samples, &mut pixels)
                .map_err(ConvertError::invalid)?;
            pixels.into_iter().map(to_eight).collect()
        }
        (Conversion::ToneMap(map), Samples::Eight(samples)) if channels != Channels::Cmyk => {
            let wide: Vec<u16> = samples.iter().map(|&v| u16::from(v) * 257).collect();
            map.apply(&wide, channels)
        }
        (Conversion::ToneMap(map), Samples::Sixteen(samples)) if channels != Channels::Cmyk => {
            map.apply(&samples, channels)
        }
        (conversion, Samples::Eight(samples)) => {
            let level = |level: u8| level;
            one_by_one(&samples, channels, conversion, u8::MAX, level)
        }
        (conversion, Samples::Sixteen(samples)) => {
            one_by_one(&samples, channels, conversion, u16::MAX, to_eight)
        }
    })
}

/// The same where each sample, or the ink of a pixel, becomes its colour by itself.
fn one_by_one<Sample: Copy + Into<u32>>(
    samples: &[Sample],
    channels: Channels,
    conversion: &Conversion,
    full: Sample,
    eight: impl Fn(Sample) -> u8,
) -> Vec<u8> {
    let grey = |sample: Sample| match conversion {
        Conversion::Curve(curve) => curve[sample.into() as usize],
        _ => eight(sample),
    };
    match channels {
        Channels::Grey => samples.iter().flat_map(|&v| [grey(v); 3]).collect(),
        Channels::GreyAlpha => {
            let pixels = samples.as_chunks::<2>().0.iter();
            let pixels = pixels.map(|&[v, alpha]| (grey(v), eight(alpha)));
            pixels.flat_map(|(v, alpha)| [v, v, v, alpha]).collect()
        }
        Channels::Cmyk => {
            let pixels = samples.as_chunks::<4>().0.iter();
            let mixed = pixels.flat_map(|ink| mixed(ink.map(Into::into), full.into()));
            mixed.collect()
        }
        Channels::Rgb | Channels::Rgba => samples.iter().map(|&v| eight(v)).collect(),
    }
}

/// The nearest of 256 levels, not the one below: cutting off the low byte darkens.
fn to_eight(sample: u16) -> u8 {
    ((u32::from(sample) * 255 + 32_767) / 65_535) as u8
}

/// Ink to light without a profile, as browsers do: what each ink and black let through.
fn mixed([c, m, y, k]: [u32; 4], full: u32) -> [u8; 3] {
    [c, m, y].map(|ink| {
        let light = u64::from(full - ink) * u64::from(full - k);
        let whole = u64::from(full) * u64::from(full);
        ((light * 255 + whole / 2) / whole) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bits_become_the_nearest_of_eight() {
        for level in 0..=255_u16 {
            assert_eq!(u16::from(to_eight(level * 257)), level);
        }
        assert_eq!(to_eight(128), 0);
        assert_eq!(to_eight(129), 1);
        assert_eq!(to_eight(65_535 - 129), 254);
    }

    #[test]
    fn srgb_under_any_name_changes_nothing_and_display_p3_does() {
        let srgb = ColorProfile::new_srgb().encode().unwrap();
        let of = |icc: &[u8]| Colour::new(&Space::Icc(icc.to_vec()));
        assert!(!of(&srgb).changes(Channels::Rgb));
        assert!(!of(b"not a profile").changes(Channels::Rgb));
        assert!(!Colour::new(&Space::Srgb).changes(Channels::Rgb));
        let p3 = ColorProfile::new_display_p3().encode().unwrap();
        assert!(of(&p3).changes(Channels::Rgb));
        assert!(!of(&p3).changes(Channels::Grey), "the same curve as sRGB");
        assert!(
            !of(&p3).changes(Channels::Cmyk),
            "a profile of another kind"
        );
    }

    #[test]
    fn a_grey_profile_bends_grey_and_leaves_alpha() {
        let linear = ColorProfile::new_gray_with_gamma(1.0).encode().unwrap();
        let mut colour = Colour::new(&Space::Icc(linear));
        let picture = colour
            .srgb(Raster {
                width: 2,
                height: 1,
                channels: Channels::GreyAlpha,
                samples: Samples::Eight(vec![55, 55, 255, 1]),
            })
            .unwrap();
        assert_eq!(picture.layout, Layout::Rgba);
        let [[red, green, blue, first], [light, .., second]] = picture.pixels.as_chunks::<4>().0
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
    }

    #[test]
    fn cmyk_without_a_profile_is_converted_by_transmission() {
        let mut colour = Colour::new(&Space::Srgb);
        let ink = vec![0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 255, 0, 255, 255, 51];
        let raster = Raster {
            width: 4,
            height: 1,
            channels: Channels::Cmyk,
            samples: Samples::Eight(ink),
        };
        let picture = colour.srgb(raster).unwrap();
        assert_eq!(
            picture.pixels,
            [255, 255, 255, 0, 255, 255, 0, 0, 0, 204, 0, 0]
        );
    }
}
