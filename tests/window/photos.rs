//! Photographs that nobody took: land, sea, sky and things, out of noise. Each number is another one.

use image::{Rgb, RgbImage};

pub(crate) const PHOTOS: [&str; 12] = [
    "First snow",
    "Harbour at dusk",
    "Fog in the firs",
    "Coffee, eight o’clock",
    "Dunes",
    "Milky Way",
    "Fields in June, from the window of a very small aeroplane on its way to the islands",
    "Windows across the street",
    "Red ridge",
    "Low tide",
    "Larches",
    "Second cup",
];

/// Width and height of the photograph of this number in pixels: some are upright, one is a panorama.
pub(crate) fn shape(number: usize) -> (u32, u32) {
    match number {
        2 | 7 | 10 => (360, 480),
        8 => (1_080, 300),
        _ => (480, 360),
    }
}

/// One of 480 by 360 is laid out on 720 by 540.
const SCALE: f32 = 1.5;

type Colour = [f32; 3];

/// A number of 0 to 1 for each whole place.
fn grain(x: i32, y: i32) -> f32 {
    let mut n = (x.wrapping_mul(374_761_393) ^ y.wrapping_mul(668_265_263)).cast_unsigned();
    n = (n ^ (n >> 13)).wrapping_mul(1_274_126_177);
    ((n ^ (n >> 16)) & 0xffff) as f32 / 65_535.0
}

/// Smooth between whole places.
fn noise(x: f32, y: f32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let soft = |t: f32| t * t * (3.0 - 2.0 * t);
    let (across, down) = (soft(x - left), soft(y - top));
    let (left, top) = (left as i32, top as i32);
    let row = |y| grain(left, y) + (grain(left + 1, y) - grain(left, y)) * across;
    row(top) + (row(top + 1) - row(top)) * down
}

/// Noise at many sizes, about 0 to 1.
fn rough(x: f32, y: f32, sizes: u32) -> f32 {
    let (mut sum, mut weight, mut size) = (0.0, 0.5, 1.0);
    for _ in 0..sizes {
        sum += weight * noise(x * size, y * size);
        weight *= 0.5;
        size *= 2.03;
    }
    sum
}

fn mix(from: Colour, to: Colour, part: f32) -> Colour {
    let part = part.clamp(0.0, 1.0);
    [0, 1, 2].map(|channel| from[channel] + (to[channel] - from[channel]) * part)
}

fn times(colour: Colour, by: f32) -> Colour {
    colour.map(|channel| channel * by)
}

/// 0 before `edge`, 1 behind it, and soft for a pixel.
fn beyond(at: f32, edge: f32) -> f32 {
    ((at - edge) / SCALE + 0.5).clamp(0.0, 1.0)
}

/// The photograph of this name.
pub(crate) fn photo(number: usize) -> RgbImage {
    let seed = number as f32 * 17.3;
    let (width, height) = shape(number);
    RgbImage::from_fn(width, height, |x, y| {
        let place = (x as f32 * SCALE, y as f32 * SCALE);
        let colour = match number {
            0 => mountains(
                place,
                seed,
                [[92.0, 142.0, 196.0], [226.0, 234.0, 240.0]],
                0.62,
            ),
            1 => sea(place, seed, [[66.0, 62.0, 112.0], [244.0, 150.0, 104.0]]),
            2 => firs(place, seed, [[206.0, 214.0, 214.0], [34.0, 56.0, 52.0]]),
            3 => cup(place, seed, [104.0, 66.0, 40.0], [238.0, 234.0, 226.0]),
            4 => dunes(place, seed),
            5 => stars(place, seed),
            6 => fields(place, seed),
            7 => windows(place, seed),
            8 => mountains(
                place,
                seed,
                [[226.0, 138.0, 96.0], [250.0, 216.0, 168.0]],
                2.0,
            ),
            9 => sea(place, seed, [[110.0, 168.0, 210.0], [232.0, 236.0, 230.0]]),
            10 => firs(place, seed, [[246.0, 214.0, 156.0], [132.0, 74.0, 24.0]]),
            _ => cup(place, seed, [58.0, 74.0, 84.0], [196.0, 84.0, 60.0]),
        };
        // A sensor's own noise keeps soft slopes from turning into steps.
        let speck = (grain(x as i32, y as i32) - 0.5) * 7.0;
        Rgb(colour.map(|channel| (channel + speck).clamp(0.0, 255.0) as u8))
    })
}

fn sky((x, y): (f32, f32), seed: f32, [high, low]: [Colour; 2]) -> Colour {
    let clear = mix(high, low, y / 330.0);
    let cloud = rough(x / 190.0 + seed, y / 62.0 + seed, 6);
    mix(clear, times(low, 1.06), (cloud - 0.5) * 3.2)
}

/// Ridges behind each other, paler the farther; snow lies above `snow`.
fn mountains((x, y): (f32, f32), seed: f32, air: [Colour; 2], snow: f32) -> Colour {
    let mut colour = sky((x, y), seed, air);
    for ridge in 0..5_u8 {
        let near = f32::from(ridge) / 4.0;
        let own = seed + f32::from(ridge) * 31.0;
        let height = rough(x / (210.0 - 70.0 * near) + own, own, 7) - 0.5;
        let line = 205.0 + 235.0 * near - height * (330.0 - 150.0 * near);
        if y < line - 1.0 {
            continue;
        }
        let slope = rough(x / 26.0 + own, y / 34.0 + own, 5)
            - rough(x / 26.0 + own + 0.16, y / 34.0 + own - 0.05, 5);
        let rock = times([74.0, 78.0, 84.0], 1.0 + slope * 5.5);
        let meadow = times([58.0, 76.0, 46.0], 0.9 + slope * 3.5);
        let ground = mix(rock, meadow, near * 1.4 - 0.35);
        let white = times([242.0, 245.0, 250.0], 0.92 + slope * 2.0);
        let lies = (0.36 - near * 0.55 + (line + 60.0 - y) / 300.0 - slope * 1.6) * 3.0 / snow;
        let ground = mix(ground, white, if snow > 1.0 { 0.0 } else { lies });
        let ground = if snow > 1.0 {
            mix(ground, [120.0, 62.0, 50.0], 0.55)
        } else {
            ground
        };
        let hazy = mix(ground, air[1], (1.0 - near) * 0.72);
        colour = mix(colour, hazy, beyond(y, line));
    }
    colour
}

/// Water to the horizon, with the sun's path on it.
fn sea((x, y): (f32, f32), seed: f32, air: [Colour; 2]) -> Colour {
    let (horizon, sun) = (262.0, (430.0, 214.0));
    let far = (x - sun.0).hypot(y - sun.1);
    let glow = (1.0 - far / 420.0).max(0.0).powi(3);
    let bright = [255.0, 240.0, 212.0];
    let above = mix(sky((x, y), seed, air), bright, glow.max(beyond(26.0, far)));
    let deep = (y - horizon).max(0.5);
    let wave = rough(x / (4.0 + deep * 0.32) + seed, 620.0 / deep + seed * 3.0, 6) - 0.49;
    let mirror = sky((x, (horizon - deep * 0.9).max(0.0)), seed, air);
    let water = mix(
        times(mirror, 0.72),
        times(air[0], 0.34),
        deep / 300.0 - wave * 1.7,
    );
    let path = (1.0 - (x - sun.0).abs() / (24.0 + deep * 0.5)).max(0.0);
    let water = mix(
        water,
        bright,
        path * (wave * 9.0 + 0.1).clamp(0.0, 1.0) * (1.0 - deep / 420.0),
    );
    let mut colour = mix(above, water, beyond(y, horizon));
    // A pier's posts.
    for post in 0..7_u8 {
        let scale = 1.0 - f32::from(post) * 0.12;
        let (at, half) = (
            64.0 + f32::from(post) * 46.0 * (0.6 + scale * 0.4),
            8.0 * scale,
        );
        let (top, foot) = (horizon - 34.0 * scale, horizon + 150.0 * scale * scale);
        let on = beyond(half, (x - at).abs()) * beyond(y, top) * beyond(foot, y);
        let bark = times([66.0, 54.0, 48.0], 0.6 + rough(x / 3.0, y / 22.0 + seed, 4));
        colour = mix(colour, bark, on);
    }
    colour
}

/// Rows of conifers that fade into fog.
fn firs((x, y): (f32, f32), seed: f32, [fog, tree]: [Colour; 2]) -> Colour {
    let mut colour = mix(times(fog, 1.08), fog, y / 300.0);
    for row in 0..6_u8 {
        let near = f32::from(row) / 5.0;
        let (wide, own) = (26.0 + 62.0 * near, seed + f32::from(row) * 53.0);
        let mut shade: f32 = 0.0;
        for side in -1..=1_i8 {
            let which = (x / wide).floor() + f32::from(side);
            let (one, two) = (
                grain(which as i32, own as i32),
                grain(own as i32, which as i32),
            );
            let at = (which + 0.2 + 0.6 * one) * wide;
            let tall = wide * (2.3 + 1.5 * two);
            let foot = 190.0 + 330.0 * near + 30.0 * rough(which / 4.0, own, 3);
            let down = (y - (foot - tall)) / tall;
            let twigs = 0.55 + 0.45 * (down * (13.0 + 6.0 * two)).fract();
            let frayed = 0.75 + 0.5 * noise(x / 2.4 + own, y / 2.4);
            let half = wide * 0.46 * down.max(0.0) * twigs * frayed;
            shade = shade.max(beyond(half, (x - at).abs()) * beyond(down * tall, 0.0));
        }
        let needles = times(tree, 0.72 + 0.62 * rough(x / 5.0 + own, y / 7.0, 4));
        let ground = beyond(y, 196.0 + 330.0 * near);
        let hazy = mix(needles, fog, (1.0 - near) * 0.86);
        colour = mix(colour, hazy, shade.max(ground));
        colour = mix(
            colour,
            fog,
            (rough(x / 240.0 + own, y / 70.0, 4) - 0.42) * 1.1 * (1.0 - near),
        );
    }
    colour
}

/// A cup on a table, from above.
fn cup((x, y): (f32, f32), seed: f32, wood: Colour, china: Colour) -> Colour {
    let board = (y / 108.0 + seed).floor();
    let vein = rough(
        x / 210.0 + board * 7.0,
        y / 9.0 + rough(x / 120.0, y / 40.0, 3) * 3.0,
        6,
    );
    let gap = 1.0 - 0.6 * beyond(2.0, (y / 108.0 + seed).fract() * 108.0);
    let table = times(wood, (0.62 + 0.85 * vein) * gap * (1.16 - x / 2_100.0));
    let (dx, dy) = (x - 372.0, y - 272.0);
    let far = dx.hypot(dy);
    let shadow = (dx - 26.0).hypot(dy - 30.0);
    let mut colour = times(
        table,
        1.0 - 0.55 * ((236.0 - shadow) / 60.0).clamp(0.0, 1.0),
    );
    let lit = 1.0 - (dx + dy) / 1_500.0;
    // Saucer, rim, inside, coffee.
    let ring = 0.93 + 0.07 * (far / 9.0).sin().abs();
    colour = mix(colour, times(china, lit * ring * 0.94), beyond(204.0, far));
    let under = ((dx - 12.0).hypot(dy - 14.0) - 118.0) / 26.0;
    colour = times(
        colour,
        1.0 - 0.35 * beyond(204.0, far) * (1.0 - under).clamp(0.0, 1.0),
    );
    let handle = ((x - 508.0).hypot((y - 200.0) * 1.25) - 34.0).abs();
    colour = mix(colour, times(china, lit), beyond(11.0, handle));
    colour = mix(colour, times(china, lit * 1.04), beyond(128.0, far));
    let inside = 0.62 + 0.26 * ((dx + dy) / 200.0);
    colour = mix(colour, times(china, inside), beyond(116.0, far));
    let swirl = rough(
        dx / 46.0 + (dy / 30.0).sin() + seed,
        dy / 46.0 + (dx / 34.0).cos(),
        6,
    );
    let crema = mix(
        [62.0, 34.0, 18.0],
        [206.0, 150.0, 92.0],
        (swirl - 0.36) * 3.6,
    );
    colour = mix(colour, crema, beyond(104.0, far));
    let gleam = (1.0 - (dx + 46.0).hypot(dy + 52.0) / 34.0).max(0.0);
    mix(colour, [255.0, 250.0, 240.0], gleam * 0.5)
}

/// Sand with the wind's ripples, one side in shadow.
fn dunes((x, y): (f32, f32), seed: f32) -> Colour {
    let air = [[70.0, 130.0, 196.0], [214.0, 224.0, 226.0]];
    let mut colour = mix(air[0], air[1], y / 260.0);
    for dune in 0..4_u8 {
        let near = f32::from(dune) / 3.0;
        let own = seed + f32::from(dune) * 13.0;
        let bend =
            (x / (120.0 + 90.0 * near) + own).sin() * 34.0 + rough(x / 160.0 + own, own, 4) * 70.0;
        let line = 190.0 + 190.0 * near - bend;
        let crest = x + (y - line) * 1.5 + rough(x / 60.0, y / 60.0, 3) * 40.0;
        let dark = ((crest / (250.0 + 120.0 * near) + own).sin() * 5.0).clamp(-1.0, 1.0);
        let ripple =
            ((y - line) * (0.9 - 0.5 * near) + rough(x / 90.0 + own, y / 90.0, 3) * 22.0).sin();
        let sand = mix(
            [232.0, 176.0, 108.0],
            [128.0, 74.0, 50.0],
            0.42 + 0.42 * dark,
        );
        let sand = times(sand, 1.0 + 0.075 * ripple * (1.0 - dark * 0.4));
        let hazy = mix(sand, air[1], (1.0 - near) * 0.35);
        colour = mix(colour, hazy, beyond(y, line));
    }
    colour
}

/// A night without a moon, above a ridge.
fn stars((x, y): (f32, f32), seed: f32) -> Colour {
    let band = (y - 270.0 + (x - 360.0) * 0.62).abs() / 150.0;
    let dust = rough(x / 90.0 + seed, y / 90.0, 7);
    let milk = (1.0 - band).max(0.0) * (0.25 + 1.2 * dust);
    let mut colour = mix([10.0, 15.0, 36.0], [40.0, 62.0, 104.0], y / 560.0);
    colour = mix(colour, [176.0, 168.0, 190.0], milk * 0.55);
    colour = times(
        colour,
        1.0 - (1.0 - band).max(0.0) * ((dust - 0.52) * 4.0).clamp(0.0, 0.7),
    );
    let (cell_x, cell_y) = ((x / 5.0).floor(), (y / 5.0).floor());
    let (one, two) = (
        grain(cell_x as i32, cell_y as i32),
        grain(cell_y as i32, cell_x as i32 + 91),
    );
    let at = (
        (cell_x + 0.3 + 0.4 * two) * 5.0,
        (cell_y + 0.3 + 0.4 * one) * 5.0,
    );
    let bright = ((one - 0.9 + milk * 0.14) * 9.0).clamp(0.0, 1.0);
    let spark = (1.3 - (x - at.0).hypot(y - at.1)).clamp(0.0, 1.0) * bright;
    colour = mix(
        colour,
        mix([255.0, 226.0, 196.0], [206.0, 224.0, 255.0], two),
        spark,
    );
    let line = 430.0 - (rough(x / 150.0 + seed, seed, 7) - 0.5) * 220.0;
    let trees = line - 26.0 * grain((x / 5.0) as i32, 7) * (1.0 - (x / 5.0).fract() * 0.8);
    mix(colour, [7.0, 9.0, 15.0], beyond(y, trees))
}

/// Fields from an aeroplane.
fn fields((x, y): (f32, f32), seed: f32) -> Colour {
    let (turned, across) = (x * 0.86 - y * 0.5, x * 0.5 + y * 0.86);
    let bent = (
        turned + 34.0 * rough(x / 130.0, y / 130.0, 3),
        across + 30.0 * rough(y / 150.0, x / 150.0 + seed, 3),
    );
    let strip = (bent.0 / 118.0).floor();
    let long = 150.0 + 90.0 * grain(strip as i32, 3);
    let plot = (bent.1 / long).floor();
    let kind = grain(strip as i32 + 40, plot as i32 + 40);
    let crop = [
        [112.0, 138.0, 62.0],
        [206.0, 184.0, 96.0],
        [78.0, 112.0, 56.0],
        [154.0, 126.0, 86.0],
        [226.0, 206.0, 74.0],
    ][(kind * 4.99) as usize];
    let along = if kind * 10.0 % 1.0 > 0.5 {
        bent.0
    } else {
        bent.1
    };
    let rows = 1.0 + 0.09 * (along * 1.15).sin();
    let soil = 0.78 + 0.42 * rough(x / 34.0 + kind * 50.0, y / 34.0, 6);
    let mut colour = times(crop, rows * soil);
    let edge =
        |at: f32, size: f32| (at - (at / size).floor() * size).min((at / size).ceil() * size - at);
    let hedge = edge(bent.0, 118.0).min(edge(bent.1, long));
    let bush = 3.0 + 6.0 * noise(x / 7.0 + 5.0, y / 7.0);
    let leaves = times([44.0, 66.0, 34.0], 0.6 + 0.8 * noise(x / 2.2, y / 2.2));
    colour = mix(colour, leaves, beyond(bush, hedge));
    let road = (across - 330.0 - 60.0 * (turned / 210.0).sin()).abs();
    mix(colour, [216.0, 208.0, 194.0], beyond(5.0, road))
}

/// A house front in the evening.
fn windows((x, y): (f32, f32), seed: f32) -> Colour {
    let brick_row = (y / 9.0).floor();
    let brick_x = x / 24.0 + 0.5 * (brick_row % 2.0);
    let tone = grain(brick_x as i32, brick_row as i32);
    let joint = beyond(1.4, (y / 9.0).fract() * 9.0).max(beyond(1.4, brick_x.fract() * 24.0));
    let brick = times(
        mix([126.0, 70.0, 58.0], [92.0, 52.0, 50.0], tone),
        0.7 + 0.5 * rough(x / 5.0, y / 5.0, 4),
    );
    let mut colour = times(mix(brick, [136.0, 124.0, 116.0], joint * 0.7), 0.62);
    let (column, floor) = ((x / 180.0).floor(), (y / 270.0).floor());
    let (u, v) = (x - column * 180.0 - 90.0, y - floor * 270.0 - 140.0);
    let inside = |w: f32, h: f32| beyond(w, u.abs()) * beyond(h, v.abs());
    let lit = grain(column as i32 + seed as i32, floor as i32 + 5);
    let lamp = (1.0 - (u - 16.0).hypot(v + 34.0) / 120.0).max(0.0);
    let warm = mix(
        [150.0, 88.0, 40.0],
        [255.0, 226.0, 160.0],
        lamp * 1.2 + 0.12 * rough(u / 20.0, v / 20.0, 4),
    );
    let cold = mix(
        [38.0, 52.0, 76.0],
        [112.0, 130.0, 156.0],
        rough(x / 70.0, y / 40.0, 5) * 1.3 - 0.3,
    );
    let mut pane = if lit > 0.42 { warm } else { cold };
    // A curtain, and a plant on the sill.
    let fold = 0.75 + 0.25 * (u * 0.5).sin();
    pane = mix(
        pane,
        times(
            [206.0, 186.0, 160.0],
            fold * if lit > 0.42 { 0.95 } else { 0.4 },
        ),
        beyond(u.abs(), 40.0),
    );
    let leaf = rough(u / 9.0 + lit * 90.0, v / 9.0, 4) * 62.0 * beyond(lit, 0.5).max(0.25);
    pane = mix(
        pane,
        [30.0, 50.0, 30.0],
        beyond(v, 74.0 - leaf) * beyond(30.0, u.abs()),
    );
    colour = times(colour, 1.0 - 0.4 * inside(70.0, 108.0));
    colour = mix(
        colour,
        [212.0, 204.0, 190.0].map(|channel: f32| channel * 0.74),
        inside(64.0, 100.0),
    );
    colour = mix(colour, pane, inside(56.0, 92.0));
    let bar = beyond(3.0, u.abs()).max(beyond(3.0, (v + 24.0).abs())) * inside(56.0, 92.0);
    colour = mix(colour, [170.0, 162.0, 150.0], bar);
    mix(
        colour,
        [150.0, 142.0, 132.0],
        beyond(76.0, u.abs()) * beyond(v, 100.0) * beyond(112.0, v),
    )
}
