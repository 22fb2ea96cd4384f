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

/// Pixels that are converted at once: enough to be fast, little enough to stay in the cache.
const BATCH: usize = 4096;

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
        let pixels = caught(|| match samples {
            Samples::Eight(samples) => convert_eight(samples, channels, conversion),
            Samples::Sixteen(samples) => convert_sixteen(&samples, channels, conversion),
        })?;
        let layout = match channels {
            Channels::Grey => Layout::Grey,
            Channels::GreyAlpha => Layout::GreyAlpha,
            Channels::Rgb | Channels::Cmyk => Layout::Rgb,
            Channels::Rgba => Layout::Rgba,
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

fn convert_eight(
    mut samples: Vec<u8>,
    channels: Channels,
    conversion: &Conversion,
) -> Result<Vec<u8>, ConvertError> {
    match (conversion, channels) {
        (Conversion::Curve(curve), Channels::GreyAlpha) => {
            for [grey, _] in samples.as_chunks_mut::<2>().0 {
                *grey = curve[usize::from(*grey)];
            }
        }
        (Conversion::Curve(curve), _) => {
            for grey in &mut samples {
                *grey = curve[usize::from(*grey)];
            }
        }
        (Conversion::Eight(transform), _) => {
            let (from, to) = widths(channels);
            let mut batch = vec![0; BATCH * from];
            let (mut read, mut written) = (0, 0);
            // In place: what is written is never longer than what was read.
            while read < samples.len() {
                let length = batch.len().min(samples.len() - read);
                batch[..length].copy_from_slice(&samples[read..read + length]);
                let result = &mut samples[written..written + length / from * to];
                transform
                    .transform(&batch[..length], result)
                    .map_err(ConvertError::invalid)?;
                read += length;
                written += length / from * to;
            }
            samples.truncate(written);
        }
        (Conversion::ToneMap(map), _) if channels != Channels::Cmyk => {
            let wide: Vec<u16> = samples.iter().map(|&v| u16::from(v) * 257).collect();
            samples = map.apply(&wide, channels);
        }
        (_, Channels::Cmyk) => {
            for pixel in 0..samples.len() / 4 {
                let rgb = mixed(
                    std::array::from_fn(|n| u32::from(samples[pixel * 4 + n])),
                    255,
                );
                for (n, value) in rgb.into_iter().enumerate() {
                    samples[pixel * 3 + n] = value;
                }
            }
            samples.truncate(samples.len() / 4 * 3);
        }
        _ => {}
    }
    Ok(samples)
}

fn convert_sixteen(
    samples: &[u16],
    channels: Channels,
    conversion: &Conversion,
) -> Result<Vec<u8>, ConvertError> {
    Ok(match (conversion, channels) {
        (Conversion::Curve(curve), Channels::GreyAlpha) => samples
            .as_chunks::<2>()
            .0
            .iter()
            .flat_map(|&[grey, alpha]| [curve[usize::from(grey)], to_eight(alpha)])
            .collect(),
        (Conversion::Curve(curve), _) => samples
            .iter()
            .map(|&grey| curve[usize::from(grey)])
            .collect(),
        (Conversion::Sixteen(transform), _) => {
            let (from, to) = widths(channels);
            let mut pixels = Vec::with_capacity(samples.len() / from * to);
            let mut moved = vec![0; BATCH * to];
            for batch in samples.chunks(BATCH * from) {
                let moved = &mut moved[..batch.len() / from * to];
                transform
                    .transform(batch, moved)
                    .map_err(ConvertError::invalid)?;
                pixels.extend(moved.iter().map(|&value| to_eight(value)));
            }
            pixels
        }
        (Conversion::ToneMap(map), _) if channels != Channels::Cmyk => map.apply(samples, channels),
        (_, Channels::Cmyk) => samples
            .as_chunks::<4>()
            .0
            .iter()
            .flat_map(|ink| mixed(ink.map(u32::from), u32::from(u16::MAX)))
            .collect(),
        _ => samples.iter().map(|&value| to_eight(value)).collect(),
    })
}

/// Samples of a pixel before and after.
fn widths(channels: Channels) -> (usize, usize) {
    match channels {
        Channels::Grey => (1, 1),
        Channels::GreyAlpha => (2, 2),
        Channels::Rgb => (3, 3),
        Channels::Rgba => (4, 4),
        Channels::Cmyk => (4, 3),
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
        assert_eq!(picture.layout, Layout::GreyAlpha);
        // 55/255 linear is 0.2157; sRGB encodes that as 128.
        assert!(picture.pixels[0].abs_diff(128) <= 1, "{:?}", picture.pixels);
        assert_eq!((picture.pixels[1], picture.pixels[3]), (55, 1));
        assert!(picture.pixels[2] >= 254);
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
