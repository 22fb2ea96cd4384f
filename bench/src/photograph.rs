//! Images that weigh on an encoder like photographs do: things with edges
//! before one another, each with its own colour, light and texture; detail at
//! every size as in nature; a soft lens and a little noise. The same seed gives
//! the same image, so runs can be compared.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

/// How many objects are in front of the background.
const THINGS: usize = 60;

/// The sizes of detail, in pixels, and the strength of each: equal, as in
/// nature, except for the finest, which lenses lose.
const DETAIL: [(usize, f32); 8] = [
    (256, 1.0),
    (128, 1.0),
    (64, 1.0),
    (32, 1.0),
    (16, 0.9),
    (8, 0.9),
    (4, 0.8),
    (2, 0.7),
];

/// Colour changes over larger distances than light does.
const TINT: [(usize, f32); 3] = [(256, 1.0), (64, 0.7), (16, 0.4)];

/// What is left of a sensor's noise after the camera's own processing, in
/// steps of 255.
const SENSOR_NOISE: f32 = 4.0;

/// Something in the image.
struct Thing {
    colour: [f32; 3],
    /// How the light changes across and down the whole image.
    slope: (f32, f32),
    /// How much detail its surface has: sky little, leaves much.
    texture: f32,
    tint: f32,
}

impl Thing {
    fn some(rng: &mut StdRng) -> Self {
        // Many surfaces are smooth, and a few are rough.
        let texture = 4.0 + 56.0 * rng.random::<f32>().powi(2);
        // Most scenes are nearer to grey than to any colour.
        let grey = rng.random_range(30.0..220.0);
        Self {
            colour: std::array::from_fn(|_| (grey + rng.random_range(30.0..220.0)) / 2.0),
            slope: (rng.random_range(-50.0..50.0), rng.random_range(-50.0..50.0)),
            texture,
            tint: texture / 5.0,
        }
    }
}

/// Makes one: RGB, eight bits each, row by row.
pub(crate) fn photograph(width: usize, height: usize, seed: u64) -> Vec<u8> {
    let mut rng = StdRng::seed_from_u64(seed);
    let things: Vec<Thing> = (0..=THINGS).map(|_| Thing::some(&mut rng)).collect();
    let map = outlines(width, height, &mut rng);
    let mut layers = |sizes: &[(usize, f32)]| -> Vec<Layer> {
        sizes
            .iter()
            .map(|&(size, gain)| Layer::new(width, height, size, gain, &mut rng))
            .collect()
    };
    let (light, red, blue) = (layers(&DETAIL), layers(&TINT), layers(&TINT));

    let mut pixels = vec![0; width * height * 3];
    let (mut light_row, mut red_row, mut blue_row) =
        (vec![0.0; width], vec![0.0; width], vec![0.0; width]);
    for (y, row) in pixels.chunks_exact_mut(width * 3).enumerate() {
        for (values, layers) in [
            (&mut light_row, &light),
            (&mut red_row, &red),
            (&mut blue_row, &blue),
        ] {
            values.fill(0.0);
            layers.iter().for_each(|layer| layer.add_row(y, values));
        }
        let down = y as f32 / height as f32 - 0.5;
        for (x, pixel) in row.chunks_exact_mut(3).enumerate() {
            let thing = &things[usize::from(map[y * width + x])];
            let across = x as f32 / width as f32 - 0.5;
            let light =
                thing.slope.0 * across + thing.slope.1 * down + thing.texture * light_row[x];
            let (red, blue) = (thing.tint * red_row[x], thing.tint * blue_row[x]);
            let tints = [red, -(red + blue) / 2.0, blue];
            for ((value, colour), tint) in pixel.iter_mut().zip(thing.colour).zip(tints) {
                *value = (colour + light + tint).clamp(0.0, 255.0) as u8;
            }
        }
    }
    soften(&mut pixels, width);
    for value in &mut pixels {
        let noise = (rng.random::<f32>() + rng.random::<f32>() - 1.0) * SENSOR_NOISE;
        *value = (f32::from(*value) + noise).clamp(0.0, 255.0).round() as u8;
    }
    pixels
}

/// Which thing is seen at each pixel: ellipses, small ones before large ones.
fn outlines(width: usize, height: usize, rng: &mut StdRng) -> Vec<u8> {
    let mut map = vec![0; width * height];
    for thing in 1..=THINGS {
        let reach = 0.5 * (1.0 - thing as f32 / (THINGS + 1) as f32) + 0.02;
        let (a, b) = (
            reach * width as f32 * rng.random_range(0.3..1.0),
            reach * width as f32 * rng.random_range(0.3..1.0),
        );
        let (middle_x, middle_y) = (
            rng.random_range(0.0..width as f32),
            rng.random_range(0.0..height as f32),
        );
        let (sin, cos) = rng.random_range(0.0..std::f32::consts::PI).sin_cos();
        let longest = a.max(b);
        let rows =
            (middle_y - longest).max(0.0) as usize..height.min((middle_y + longest) as usize);
        let columns =
            (middle_x - longest).max(0.0) as usize..width.min((middle_x + longest) as usize);
        for y in rows {
            for x in columns.clone() {
                let (dx, dy) = (x as f32 - middle_x, y as f32 - middle_y);
                let (u, v) = ((dx * cos + dy * sin) / a, (dy * cos - dx * sin) / b);
                if u * u + v * v < 1.0 {
                    map[y * width + x] = thing as u8;
                }
            }
        }
    }
    map
}

/// Detail of one size: random values on a grid, smooth in between.
struct Layer {
    size: usize,
    columns: usize,
    values: Vec<f32>,
    /// How far from one grid line to the next, smoothly from 0 to 1.
    ramp: Vec<f32>,
}

impl Layer {
    fn new(width: usize, height: usize, size: usize, gain: f32, rng: &mut StdRng) -> Self {
        let columns = width / size + 2;
        let rows = height / size + 2;
        let values = (0..columns * rows).map(|_| gain * (rng.random::<f32>() * 2.0 - 1.0));
        let ramp = (0..size).map(|step| {
            let part = step as f32 / size as f32;
            part * part * (3.0 - 2.0 * part)
        });
        Self {
            size,
            columns,
            values: values.collect(),
            ramp: ramp.collect(),
        }
    }

    fn add_row(&self, y: usize, row: &mut [f32]) {
        let down = self.ramp[y % self.size];
        let above = &self.values[y / self.size * self.columns..][..self.columns];
        let below = &self.values[(y / self.size + 1) * self.columns..][..self.columns];
        let at = |column: usize| above[column] + (below[column] - above[column]) * down;
        for (column, cell) in row.chunks_mut(self.size).enumerate() {
            let (left, right) = (at(column), at(column + 1));
            for (value, across) in cell.iter_mut().zip(&self.ramp) {
                *value += left + (right - left) * across;
            }
        }
    }
}

/// Weighs each pixel with its neighbours to the left and right, above and
/// below, as a lens does.
fn soften(pixels: &mut [u8], width: usize) {
    let weigh = |before: u8, here: u8, after: u8| {
        ((u16::from(before) + 2 * u16::from(here) + u16::from(after) + 2) / 4) as u8
    };
    let length = width * 3;
    for row in pixels.chunks_exact_mut(length) {
        let sharp = row.to_vec();
        for place in 3..length - 3 {
            row[place] = weigh(sharp[place - 3], sharp[place], sharp[place + 3]);
        }
    }
    let mut above = pixels[..length].to_vec();
    for start in (length..pixels.len().saturating_sub(length)).step_by(length) {
        let (upper, below) = pixels.split_at_mut(start + length);
        let row = &mut upper[start..];
        let sharp = row.to_vec();
        for place in 0..length {
            row[place] = weigh(above[place], sharp[place], below[place]);
        }
        above = sharp;
    }
}

#[cfg(test)]
mod tests {
    use super::photograph;

    #[test]
    fn the_same_seed_gives_the_same_image_and_another_seed_another() {
        let picture = photograph(65, 33, 1);
        assert_eq!(picture.len(), 65 * 33 * 3);
        assert!(picture == photograph(65, 33, 1));
        assert!(picture != photograph(65, 33, 2));
    }
}
