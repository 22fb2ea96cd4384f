// Makes pictures of the kinds that bloggers upload, each by a program that really makes such
// pictures: Chromium, xterm, sharp. `node pictures.mjs PACKAGES FOLDER`: the folder of unpacked
// Debian packages, and where the pictures go. A picture that exists is not made again.
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';

const run = promisify(execFile);
const [packages, folder] = process.argv.slice(2).map((path) => resolve(path));
const help = join(packages, 'gimp-help-en/usr/share/gimp/2.0/help/en');
const plasma = join(packages, 'plasma-workspace-wallpapers/usr/share/wallpapers');
const nature = join(packages, 'mate-backgrounds/usr/share/backgrounds/mate/nature');
const photographs = join(packages, 'lomiri-wallpapers-16.04/usr/share/backgrounds');
const scratch = await mkdtemp(join(tmpdir(), 'porchlight-pictures-'));

/** A screenshot of a file or of HTML in Chromium; `scale` is device pixels per CSS pixel. */
const browser =
  (address, width, height, scale = 1, background = 'ffffffff') =>
  async (out) => {
    await run('chromium', [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--hide-scrollbars',
      `--user-data-dir=${join(scratch, 'profile')}`,
      `--window-size=${width},${height}`,
      `--force-device-scale-factor=${scale}`,
      `--default-background-color=${background}`,
      `--screenshot=${out}`,
      address.startsWith('<') ? await page(address) : `file://${address}`,
    ]);
  };

async function page(html) {
  const file = join(scratch, 'page.html');
  await writeFile(file, `<!doctype html><meta charset="utf-8"><style>body{margin:0}</style>${html}`);
  return `file://${file}`;
}

/** A screenshot of the output of a command in xterm, on a separate display. */
const terminal =
  (command, ...options) =>
  async (out) => {
    const ready = join(scratch, 'ready');
    await rm(ready, { force: true });
    const inside = `${command}; touch '${ready}'; sleep 60`;
    const outside = `xterm ${options.join(' ')} -e sh -c "$INSIDE" & pid=$!
      for i in $(seq 300); do [ -e '${ready}' ] && break; sleep 0.1; done
      sleep 1; import -window root png:'${out}'; kill $pid`;
    await run('xvfb-run', ['-a', '-s', '-screen 0 1000x700x24', 'sh', '-c', outside], {
      env: { ...process.env, INSIDE: inside },
    });
  };

/** Repeatable pseudo-random numbers from 0 to 1 (the constants are those of Numerical Recipes). */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const svg = (width, height, content) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif">${content}</svg>`;

function chart() {
  const next = numbers(1);
  const bars = Array.from({ length: 24 }, (_, hour) => {
    const height = 60 + next() * 500;
    return `<rect x="${90 + hour * 60}" y="${740 - height}" width="42" height="${height}" rx="4" fill="#3b6fd4"/>
      <text x="${111 + hour * 60}" y="775" font-size="20" text-anchor="middle">${hour}</text>`;
  });
  const lines = [0, 1, 2, 3, 4, 5].map(
    (line) => `<path d="M80 ${740 - line * 110}H1540" stroke="#d5d8de"/>
      <text x="70" y="${747 - line * 110}" font-size="20" text-anchor="end">${line * 20}</text>`,
  );
  return svg(1600, 840, `<rect width="1600" height="840" fill="#fff"/>
    <text x="80" y="80" font-size="40" font-weight="bold">Requests by hour</text>${lines.join('')}${bars.join('')}`);
}

function diagram() {
  const boxes = ['Blog', 'Tunnel', 'Gate', 'Routes', 'Service', 'Database', 'Store'];
  const content = boxes.map((name, index) => {
    const [x, y] = [60 + (index % 4) * 300, 90 + Math.floor(index / 4) * 300 + (index % 2) * 80];
    return `<path d="M${x + 210} ${y + 60}C${x + 260} ${y + 60} ${x + 250} ${y + 120} ${x + 300} ${y + 120}" fill="none" stroke="#444" stroke-width="3"/>
      <rect x="${x}" y="${y}" width="210" height="120" rx="16" fill="hsl(${index * 50} 60% 88%)" stroke="hsl(${index * 50} 50% 40%)" stroke-width="3"/>
      <text x="${x + 105}" y="${y + 70}" font-size="28" text-anchor="middle">${name}</text>`;
  });
  return svg(1280, 720, `<rect width="1280" height="720" fill="#fdfcf8"/>${content.join('')}`);
}

function illustration() {
  const next = numbers(7);
  const hills = [0, 1, 2, 3, 4].map((layer) => {
    const points = Array.from({ length: 13 }, (_, step) => `${step * 160},${380 + layer * 130 - next() * 160}`);
    return `<polygon points="0,1080 ${points.join(' ')} 1920,1080" fill="hsl(${200 - layer * 18} 45% ${75 - layer * 13}%)"/>`;
  });
  return svg(1920, 1080, `<rect width="1920" height="1080" fill="#ffe9c9"/><circle cx="1400" cy="260" r="120" fill="#ff9d5c"/>${hills.join('')}`);
}

const slide = `<div style="width:1600px;height:900px;background:#14213d;color:#fff;font:34px sans-serif;padding:80px;box-sizing:border-box">
  <h1 style="font-size:72px;color:#fca311">Three rules for small servers</h1><ul style="line-height:2"><li>Bound every request</li>
  <li>Measure before you change</li><li>Say what failed, and what to do</li></ul><p style="color:#9fb3c8">Slide 4 of 21</p></div>`;
const logo = svg(900, 900, `<circle cx="450" cy="450" r="400" fill="#f4a83a"/><path d="M250 620L450 240L650 620Z" fill="#fff"/>
  <circle cx="450" cy="540" r="60" fill="#f4a83a"/>`);
const gradient = (css, width, height) => `<div style="width:${width}px;height:${height}px;background:${css}"></div>`;

/** Another file, changed by sharp; a name without a folder is another picture of this set. */
const from =
  (source, change) =>
  async (out, made) => {
    const file = source.includes('/') ? source : made(source);
    await change(sharp(file)).toFile(out);
  };
const photo = async (place) => {
  const all = (await readdir(nature)).filter((name) => name.endsWith('.jpg')).sort();
  return join(nature, all[place]);
};
const photoPng = (place) => async (out) =>
  sharp(await photo(place)).resize(1920).png({ compressionLevel: 9 }).toFile(out);
const palette = (source, colours) =>
  from(source, (image) => image.png({ palette: true, colours, compressionLevel: 9 }));

/** A JPEG of 12 megapixels with EXIF, as phones save it. */
const phone = (name, orientation) =>
  from(join(photographs, name), (image) =>
    image
      .resize(4032, 3024, { fit: 'cover' })
      .jpeg({ quality: 92, chromaSubsampling: '4:2:0' })
      .withExif({
        IFD0: { Make: 'Example', Model: 'Phone 1', DateTime: '2026:11:01 10:00:00' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1' },
      })
      .withMetadata({ orientation }),
  );

/** An animated GIF; each frame is a sharp image, `delay` is in milliseconds. */
async function gif(frames, delay, out) {
  const files = await Promise.all(frames.map((frame) => frame.png().toBuffer()));
  await sharp(files, { join: { animated: true } }).gif({ delay: files.map(() => delay), loop: 0 }).toFile(out);
}
const steps = (count) => Array.from({ length: count }, (_, step) => step);
const scrolling = async (out, made) =>
  gif(
    steps(12).map((step) => sharp(made('browser-long.png')).extract({ left: 0, top: step * 60, width: 800, height: 500 })),
    120,
    out,
  );
const panning = async (out) => {
  const wide = await sharp(await photo(4)).resize(640).png().toBuffer();
  await gif(
    steps(10).map((step) => sharp(wide).extract({ left: step * 12, top: 20, width: 480, height: 300 })),
    100,
    out,
  );
};
const bouncing = async (out) =>
  gif(
    steps(20).map((step) => {
      const y = 60 + Math.abs(10 - step) * 18;
      return sharp(Buffer.from(svg(400, 300, `<rect width="400" height="300" fill="#fff"/><circle cx="200" cy="${y}" r="40" fill="#d33"/>`)));
    }),
    50,
    out,
  );

const softMask = Buffer.from(
  svg(1200, 800, '<defs><radialGradient id="g"><stop offset="0.6" stop-color="#fff"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></radialGradient></defs><rect width="1200" height="800" fill="url(#g)"/>'),
);
const masked = async (out) =>
  sharp(await photo(2)).resize(1200, 800).ensureAlpha().composite([{ input: softMask, blend: 'dest-in' }]).png().toFile(out);
/** A window with its shadow, as macOS takes screenshots. */
const windowShot = async (out, made) => {
  const shadow = await sharp(Buffer.from(svg(1486, 888, '<rect x="60" y="70" width="1366" height="768" rx="10" fill="#000" fill-opacity="0.6"/>')))
    .blur(25)
    .png()
    .toBuffer();
  await sharp(shadow).composite([{ input: made('browser-small.png'), left: 60, top: 60 }]).png().toFile(out);
};

/** The pictures by name; the first word of the name is the kind. */
const pictures = {
  'browser-small.png': browser(join(help, 'index.html'), 1366, 768),
  'browser-pictures.png': browser(join(help, 'gimp-concepts-layer-modes-legacy.html'), 1920, 1080),
  'browser-double.png': browser(join(help, 'glossary.html'), 1440, 900, 2),
  'browser-long.png': browser(join(help, 'gimp-pimping.html'), 1280, 4000),
  'browser-phone.png': browser(join(help, 'gimp-images-out.html'), 390, 844, 3),
  'browser-code.png': browser(import.meta.filename, 1280, 1400),
  'terminal-list.png': terminal('ls -l --color=always /usr/lib | head -60', '-geometry', '120x50+0+0', '-bg', 'black', '-fg', 'grey90'),
  'terminal-smooth.png': terminal('ls --color=always /etc', '-geometry', '90x30+20+20', '-fa', 'Monospace', '-fs', '12'),
  'terminal-text.png': terminal('head -80 /usr/share/common-licenses/Apache-2.0', '-geometry', '100x45+0+0', '-bg', "'#002b36'", '-fg', "'#93a1a1'"),
  'drawing-chart.png': browser(chart(), 1600, 840),
  'drawing-diagram.png': browser(diagram(), 1280, 720),
  'drawing-hills.png': browser(illustration(), 1920, 1080),
  'drawing-slide.png': browser(slide, 1600, 900),
  'gradient-linear.png': browser(gradient('linear-gradient(35deg,#1b2a6b,#c2507a 60%,#ffb36b)', 1920, 1080), 1920, 1080),
  'gradient-radial.png': browser(gradient('radial-gradient(circle at 30% 30%,#fdf6e3,#268bd2 70%,#073642)', 1600, 1200), 1600, 1200),
  'gradient-konqui.png': from(join(plasma, 'FlyingKonqui/contents/images/2560x1600.png'), (image) => image.png()),
  'gradient-kay.png': from(join(plasma, 'Kay/contents/images_dark/1080x1920.png'), (image) => image.png()),
  'palette-page.png': palette('browser-pictures.png', 256),
  'palette-chart.png': palette('drawing-chart.png', 16),
  'palette-photo.png': async (out) => sharp(await photo(6)).resize(1280).png({ palette: true }).toFile(out),
  'palette-window.png': from(join(help, 'images/using/single-window.png'), (image) => image.png({ palette: true })),
  'photo-0.png': photoPng(0),
  'photo-3.png': photoPng(3),
  'photo-7.png': photoPng(7),
  'photo-9.png': photoPng(9),
  'transparent-logo.png': browser(logo, 900, 900, 1, '00000000'),
  'transparent-window.png': windowShot,
  'transparent-photo.png': masked,
  'animation-scrolling.gif': scrolling,
  'animation-photo.gif': panning,
  'animation-ball.gif': bouncing,
  'phone-sunset.jpg': phone('sunset_by_Aitzol_Berasategi.jpg', 1),
  'phone-dragonfly.jpg': phone('Dragonfly_by_Bolly.jpg', 6),
  'phone-bridge.jpg': phone('Bridge_by_Sander_Klootwijk.jpg', 1),
  'phone-seeding.jpg': phone('seeding_by_Clements_Engelhardt.jpg', 3),
};

await mkdir(folder, { recursive: true });
try {
  for (const [name, make] of Object.entries(pictures)) {
    const out = join(folder, name);
    if (await access(out).then(() => true, () => false)) continue;
    const half = join(scratch, name);
    await make(half, (other) => join(folder, other));
    await rename(half, out);
    console.log(name);
  }
} finally {
  await rm(scratch, { recursive: true });
}
