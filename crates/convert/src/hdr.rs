//! Tone mapping: pictures that are brighter than white, as SDR. Perceptual quantisation (PQ) by SMPTE ST 2084,
//! hybrid log-gamma (HLG) by ITU-R BT.2100, the curve by ITU-R BT.2390, with the reference white of
//! ITU-R BT.2408, 203 cd/m², as the white of SDR. So what is no brighter than paper stays as it is.

use super::picture::Channels;
use super::space::Numbers;

/// By number in ITU-T H.273.
const PQ: u8 = 16;
const HLG: u8 = 18;

/// In cd/m²: the white of SDR, and the brightest light that keeps its shape; what is brighter becomes white.
const WHITE: f64 = 203.0;
const PEAK: f64 = 1_000.0;

/// The steps of the tables over light; they are over its square root, since eyes see differences of dark.
const STEPS: usize = 4_096;

/// From one HDR space to sRGB.
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
    let power = signal.powf(1.0 / 78.84375);
    let light = (power - 0.8359375).max(0.0) / (18.8515625 - 18.6875 * power);
    10_000.0 * light.powf(1.0 / 0.1593017578125)
}

/// The PQ signal of light in cd/m².
fn pq_signal(light: f64) -> f64 {
    let power = (light / 10_000.0).powf(0.1593017578125);
    ((0.8359375 + 18.8515625 * power) / (1.0 + 18.6875 * power)).powf(78.84375)
}

/// The light of a scene, 0 to 1, of an HLG signal.
fn hlg_light(signal: f64) -> f64 {
    const A: f64 = 0.17883277;
    if signal <= 0.5 {
        signal * signal / 3.0
    } else {
        (((signal - 0.55991073) / A).exp() + 0.28466892) / 12.0
    }
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

fn srgb_encoded(light: f64) -> f64 {
    if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    }
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
    pub(super) fn of(numbers: Numbers) -> Option<Self> {
        let (matrix, luma) = match numbers.primaries {
            9 => (
                [
                    [1.660_491, -0.587_641, -0.072_85],
                    [-0.124_55, 1.132_9, -0.008_349],
                    [-0.018_151, -0.100_579, 1.118_73],
                ],
                [0.2627, 0.6780, 0.0593],
            ),
            11 | 12 => (
                [
                    [1.224_94, -0.224_94, 0.0],
                    [-0.042_057, 1.042_057, 0.0],
                    [-0.019_638, -0.078_636, 1.098_274],
                ],
                [0.2290, 0.6917, 0.0793],
            ),
            _ => (
                [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                [0.2126, 0.7152, 0.0722],
            ),
        };
        let samples = (0..=u16::MAX).map(|sample| f64::from(sample) / 65_535.0);
        let (light, system): (Vec<f32>, _) = match numbers.transfer {
            PQ => {
                let light = samples.map(|signal| (pq_light(signal) / PEAK) as f32);
                (light.collect(), None)
            }
            // The system gamma for a display of this peak.
            HLG => (
                samples.map(|signal| hlg_light(signal) as f32).collect(),
                Some(table(|luminance| luminance.powf(0.2))),
            ),
            _ => return None,
        };
        let gain = table(|light| match light {
            0.0 => PEAK / WHITE,
            light => mapped(light * PEAK) / (light * WHITE),
        });
        let encoded =
            |step: usize| srgb_encoded((step as f64 / STEPS as f64).powi(2)) * 255.0 + 0.5;
        Some(Self {
            light,
            system,
            gain,
            matrix,
            luma,
            encoded: (0..=STEPS).map(|step| encoded(step) as u8).collect(),
        })
    }

    /// The samples as sRGB of 8 bits.
    pub(super) fn apply(&self, samples: &[u16], channels: Channels) -> Vec<u8> {
        let alpha = |sample: u16| (sample >> 8) as u8;
        match channels {
            Channels::Grey => {
                let grey = samples.iter().flat_map(|&grey| self.pixel([grey; 3]));
                grey.collect()
            }
            Channels::GreyAlpha => {
                let pixels = samples.as_chunks::<2>().0.iter();
                let mapped = pixels.flat_map(|&[grey, a]| {
                    let [r, g, b] = self.pixel([grey; 3]);
                    [r, g, b, alpha(a)]
                });
                mapped.collect()
            }
            Channels::Rgba => {
                let pixels = samples.as_chunks::<4>().0.iter();
                let mapped = pixels.flat_map(|&[r, g, b, a]| {
                    let [r, g, b] = self.pixel([r, g, b]);
                    [r, g, b, alpha(a)]
                });
                mapped.collect()
            }
            Channels::Rgb | Channels::Cmyk => {
                let pixels = samples.as_chunks::<3>().0.iter();
                pixels.flat_map(|&rgb| self.pixel(rgb)).collect()
            }
        }
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

    fn mapped_to(numbers: [u8; 2], signal: f64) -> u8 {
        let numbers = Numbers {
            primaries: numbers[0],
            transfer: numbers[1],
        };
        let map = ToneMap::of(numbers).expect("HDR");
        map.apply(&[(signal * 65_535.0) as u16; 3], Channels::Rgb)[1]
    }

    #[test]
    fn reference_white_is_nearly_white_and_what_is_darker_stays() {
        for (numbers, white) in [
            ([9, PQ], pq_signal(203.0)),
            ([12, PQ], pq_signal(203.0)),
            ([9, HLG], 0.75),
        ] {
            assert!(
                (210..=240).contains(&mapped_to(numbers, white)),
                "{numbers:?}"
            );
            assert_eq!(mapped_to(numbers, 0.0), 0);
            assert!(mapped_to(numbers, 1.0) >= 254);
        }
        // A fifth of white, as SDR has it.
        let grey = (srgb_encoded(0.2) * 255.0) as u8;
        assert!(mapped_to([9, PQ], pq_signal(0.2 * 203.0)).abs_diff(grey) <= 1);
        assert!(
            ToneMap::of(Numbers {
                primaries: 9,
                transfer: 13
            })
            .is_none()
        );
    }

    #[test]
    fn brighter_is_never_darker() {
        for transfer in [PQ, HLG] {
            let all: Vec<u8> = (0..=1_000)
                .map(|step| mapped_to([1, transfer], f64::from(step) / 1_000.0))
                .collect();
            assert!(all.is_sorted());
        }
    }
}
