// sharp's side of the upload comparison: one process that is told by lines of
// JSON on standard input what to do, and answers each with a line of JSON. The
// clock runs inside, so starting Node.js is not measured.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import sharp from 'sharp';

// Kept results of earlier rounds would be no conversions.
sharp.cache(false);

/** A file to convert: upright, and with all frames. */
const open = (file) => sharp(file, { autoOrient: true, animated: file.endsWith('.gif') });

const commands = {
  /** Which versions are compared with. */
  versions: async () => ({ sharp: sharp.versions.sharp, vips: sharp.versions.vips }),

  /** Makes a JPEG as cameras do, out of raw RGB. */
  jpeg: async ({ raw, width, height, quality, out }) => {
    await sharp(await readFile(raw), { raw: { width, height, channels: 3 } })
      .jpeg({ quality, chromaSubsampling: '4:2:0' })
      .toFile(out);
    return {};
  },

  /** The pixels of a picture, upright, as the decoder of the others sees them, without loss. */
  png: async ({ file, out }) => {
    await open(file).png({ compressionLevel: 1 }).toFile(out);
    return {};
  },

  /** Converts files to WebP, `atOnce` at a time, each with so many threads. */
  webp: async ({ files, folder, quality, nearLossless, atOnce, threads }) => {
    sharp.concurrency(threads);
    const queue = files.entries();
    const work = async () => {
      for (const [place, file] of queue) {
        await open(file).webp({ quality, nearLossless }).toFile(join(folder, `${place}.webp`));
      }
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: atOnce }, work));
    const seconds = (performance.now() - began) / 1000;
    const sizes = await Promise.all(
      files.map(async (_, place) => (await stat(join(folder, `${place}.webp`))).size),
    );
    return { seconds, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...words } = JSON.parse(line);
  const answer = await commands[command](words).catch((error) => ({ error: String(error) }));
  console.log(JSON.stringify(answer));
}
