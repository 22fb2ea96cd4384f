//! Tone mapping: pictures that are brighter than white, as SDR. Perceptual quantisation (PQ) by SMPTE ST 2084,
//! hybrid log-gamma (HLG) by ITU-R BT.2100, the curve by ITU-R BT.2390, with the reference white of
//! ITU-R BT.2408, 203 cd/m², as the white of SDR. So what is no brighter than paper stays as it is.

use image::{DynamicImage, Rgb, RgbImage, Rgba, RgbaImage};
use moxcms::TransferCharacteristics::{Hlg, Smpte2084, Srgb};
use moxcms::{Chromaticity, CicpProfile, ColorPrimaries, ColorProfile};

/// In cd/m²: the white of SDR, and the brightest light that keeps its shape; what is brighter becomes white.
const WHITE: f64 = 203.0;
const PEAK: f64 = 1_000.0;

/// The steps of the tables over light; they are over its square root, since eyes see differences of dark.
const STEPS: usize = 4_096;

/// From one HDR space to sRGB.
#[derive(Debug)]
pub(super) struct ToneMap {
    /// Light for each sample of 16 bits: for PQ of the display, as a part of the peak; for HLG of the
    /// scene, 0 to 1.
    light: Vec<f32>,
    /// What the luminance of a scene multiplies its light by on the display; only for HLG.
    system: Option<Vec<f32>>,
    /// What a pixel's light is multiplied by, by its brightest colour.
    gain: Vec<f32>,
    /// From its primaries to those of sRGB, row by row.
    matrix: [[f32; 3]; 3],
    /// The share of each colour in luminance.
    luma: [f32; 3],
    /// Samples of sRGB for light.
    encoded: Vec<u8>,
}

/// The light of a PQ signal in cd/m².
fn pq_light(signal: f64) -> f64 {
    Smpte2084.linearize(signal) * 10_000.0
}

/// The PQ signal of light in cd/m².
fn pq_signal(light: f64) -> f64 {
    Smpte2084.gamma(light / 10_000.0)
}

/// Light in cd/m² up to the peak, mapped to at most the white of SDR: BT.2390, 5.4.1.
fn mapped(light: f64) -> f64 {
    let (peak, white) = (pq_signal(PEAK), pq_signal(WHITE) / pq_signal(PEAK));
    let knee = 1.5 * white - 0.5;
    let signal = pq_signal(light) / peak;
    if signal <= knee {
        return light;
    }
    let t = (signal - knee) / (1.0 - knee);
    let (square, cube) = (t * t, t * t * t);
    let spline = (2.0 * cube - 3.0 * square + 1.0) * knee
        + (cube - 2.0 * square + t) * (1.0 - knee)
        + (3.0 * square - 2.0 * cube) * white;
    pq_light(spline * peak)
}

/// A table over the square root of light.
fn table(value: impl Fn(f64) -> f64) -> Vec<f32> {
    let light = |step: usize| (step as f64 / STEPS as f64).powi(2);
    (0..=STEPS).map(|step| value(light(step)) as f32).collect()
}

fn looked_up(table: &[f32], light: f32) -> f32 {
    table[((light.sqrt() * STEPS as f32 + 0.5) as usize).min(STEPS)]
}

impl ToneMap {
    /// None for a space that is no HDR.
    pub(super) fn of(numbers: CicpProfile) -> Option<Self> {
        let transfer = numbers.transfer_characteristics;
        if !matches!(transfer, Smpte2084 | Hlg) {
            return None;
        }
        let profile = ColorProfile::new_from_cicp(numbers);
        let primaries = ColorPrimaries::try_from(numbers.color_primaries).ok()?;
        let luma = primaries.transform_to_xyz(Chromaticity::D65).v[1];
        let matrix = profile.transform_matrix(&ColorProfile::new_srgb()).v;
        let samples = (0..=u16::MAX).map(|sample| f64::from(sample) / 65_535.0);
        let (light, system) = if transfer == Hlg {
            // The system gamma for a display of this peak.
            let system = table(|luminance| luminance.powf(0.2));
            // The crate applies a gamma to it, of 1.2.
            let light = samples.map(|signal| Hlg.linearize(signal).powf(1.0 / 1.2) as f32);
            (light.collect(), Some(system))
        } else {
            let light = samples.map(|signal| (pq_light(signal) / PEAK) as f32);
            (light.collect(), None)
        };
        let gain = table(|light| match light {
            0.0 => PEAK / WHITE,
            light => mapped(light * PEAK) / (light * WHITE),
        });
        let encoded = |step: usize| Srgb.gamma((step as f64 / STEPS as f64).powi(2)) * 255.0 + 0.5;
        Some(Self {
            light,
            system,
            gain,
            matrix: matrix.map(|row| row.map(|share| share as f32)),
            luma,
            encoded: (0..=STEPS).map(|step| encoded(step) as u8).collect(),
        })
    }

    /// The image as sRGB of 8 bits, with its alpha.
    pub(super) fn apply(&self, image: DynamicImage) -> DynamicImage {
        let (width, height) = (image.width(), image.height());
        if image.color().has_alpha() {
            let deep = image.into_rgba16();
            let map = |x, y| {
                let [samples @ .., alpha] = deep.get_pixel(x, y).0;
                let [red, green, blue] = self.pixel(samples);
                Rgba([red, green, blue, (alpha >> 8) as u8])
            };
            return RgbaImage::from_fn(width, height, map).into();
        }
        let deep = image.into_rgb16();
        let map = |x, y| Rgb(self.pixel(deep.get_pixel(x, y).0));
        RgbImage::from_fn(width, height, map).into()
    }

    fn pixel(&self, samples: [u16; 3]) -> [u8; 3] {
        let mut light = samples.map(|sample| self.light[usize::from(sample)]);
        if let Some(system) = &self.system {
            let luminance: f32 = light
                .iter()
                .zip(self.luma)
                .map(|(l, share)| l * share)
                .sum();
            let factor = looked_up(system, luminance);
            light = light.map(|light| light * factor);
        }
        let brightest = light.into_iter().fold(0.0, f32::max);
        let gain = if brightest > 1.0 {
            1.0 / brightest
        } else {
            looked_up(&self.gain, brightest)
        };
        self.matrix.map(|row| {
            let light: f32 = row
                .iter()
                .zip(light)
                .map(|(share, light)| share * light)
                .sum();
            let step = (light * gain).max(0.0).sqrt() * STEPS as f32 + 0.5;
            self.encoded[(step as usize).min(STEPS)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PQ: u8 = 16;
    const HLG: u8 = 18;

    fn map(primaries: u8, transfer: u8) -> Option<ToneMap> {
        ToneMap::of(crate::colour::by_numbers(primaries, transfer)?.cicp?)
    }

    fn mapped_to(map: &ToneMap, signal: f64) -> u8 {
        map.pixel([(signal * 65_535.0) as u16; 3])[1]
    }

    #[test]
    fn reference_white_is_nearly_white_and_what_is_darker_stays() {
        for (primaries, transfer, white) in [
            (9, PQ, pq_signal(203.0)),
            (12, PQ, pq_signal(203.0)),
            (9, HLG, 0.75),
        ] {
            let map = map(primaries, transfer).expect("HDR");
            let shown = mapped_to(&map, white);
            assert!(
                (210..=240).contains(&shown),
                "{primaries} {transfer}: {shown}"
            );
            assert_eq!(mapped_to(&map, 0.0), 0);
            assert!(mapped_to(&map, 1.0) >= 254);
        }
        // A fifth of white, as SDR has it.
        let grey = (Srgb.gamma(0.2) * 255.0) as u8;
        let map_of_pq = map(9, PQ).expect("HDR");
        assert!(mapped_to(&map_of_pq, pq_signal(0.2 * 203.0)).abs_diff(grey) <= 1);
        assert!(map(9, 13).is_none());
    }

    #[test]
    fn brighter_is_never_darker() {
        for transfer in [PQ, HLG] {
            let map = map(1, transfer).expect("HDR");
            let shown = |step| mapped_to(&map, f64::from(step) / 1_000.0);
            assert!((0..=1_000).map(shown).is_sorted());
        }
    }
}
