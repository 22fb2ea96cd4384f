// sharp's side of the bench: `node convert.mjs COMMAND JSON` prints a line of JSON. The clock runs
// inside and after one conversion, so starting Node.js and sharp is not measured.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

// Kept results of earlier rounds would be no conversions.
sharp.cache(false);

const commands = {
  /** Which versions are compared with. */
  versions: () => ({ sharp: sharp.versions.sharp, vips: sharp.versions.vips }),

  /** A JPEG as cameras and phones save it, of this size. */
  jpeg: async ({ file, width, height, quality, out }) => {
    const image = sharp(file).resize(width, height, { fit: 'cover' });
    await image.jpeg({ quality, chromaSubsampling: '4:2:0' }).toFile(out);
  },

  /** Converts files to WebP, two at a time, each with so many threads: to `0.webp` and so on. */
  webp: async ({ files, folder, quality, threads }) => {
    sharp.concurrency(threads);
    const convert = (place, file) => sharp(file).webp({ quality }).toFile(join(folder, `${place}.webp`));
    await convert(0, files[0]);
    const queue = files.entries();
    const work = async () => {
      for (const [place, file] of queue) await convert(place, file);
    };
    const began = performance.now();
    await Promise.all([work(), work()]);
    const seconds = (performance.now() - began) / 1000;
    const sizes = await Promise.all(files.map(async (_, place) => (await stat(join(folder, `${place}.webp`))).size));
    return { seconds, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  },
};

const [command, words] = process.argv.slice(2);
console.log(JSON.stringify((await commands[command](JSON.parse(words))) ?? {}));
