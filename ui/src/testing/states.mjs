// Draws every scene of every page in both themes and languages, for looking at them:
// `npm run states` writes target/states, and `npm run states -- welcome` what has that in its name.
// Needs Chromium.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createServer } from "vite";

const run = promisify(execFile);
const PAGES = ["images", "presence", "game", "statistics", "settings", "reach"];
/** Long enough for the last press, in milliseconds of the page. */
const TIME = 4_000;

const server = await createServer({ server: { port: 0, strictPort: false }, logLevel: "error" });
await server.listen();
const base = server.resolvedUrls.local[0];
const load = (file) => server.ssrLoadModule(`/src/${file}.ts`);
const { groups } = await load("settings/groups");
const { createLocale } = await load("words/locale");
const { hash } = await load("testing/scenes/images");

/** The states of a language: name, query, and height of the window. */
async function states(language) {
  const { welcome, home, devices, images } = createLocale(language).words;
  const scenes = async (page) => Object.keys((await load(`testing/scenes/${page}`)).scenes);
  const all = (await scenes("home")).map((scene) => [`home-${scene}`, { place: "home", scene }]);
  for (const page of PAGES) {
    const place = page === "reach" ? "reachable" : page;
    const section = page === "reach" ? { section: "reachable" } : {};
    for (const scene of await scenes(page))
      all.push([`${page}-${scene}`, { place, scene, ...section }, 2_000]);
  }
  for (const section of groups)
    all.push([`settings-group-${section}`, { place: "settings", section }, 1_600]);
  for (const scene of await scenes("welcome")) {
    // What leads on depends on the tunnel and the folder.
    const on = [welcome.skip, welcome.next];
    const steps = [[], home.notNow, on, on];
    for (let step = 0; step < steps.length; step++)
      all.push([
        `welcome-${scene}-${step + 1}`,
        { place: "welcome", scene, press: steps.slice(0, step + 1).flat() },
      ]);
  }
  const selected = [1, 2, 3].map((nth) => `[data-index="${nth}"]`);
  const { add, adding } = devices;
  for (const [name, press] of [
    ["adding", [add]],
    ["connecting", [add, adding.make]],
  ])
    all.push([`presence-${name}`, { place: "presence", scene: "devices", press }]);
  all.push(["presence-worker-alone", { place: "presence", scene: "onlyWorker", press: [add] }]);
  all.push(["images-selected", { place: "images", scene: "full", click: selected }]);
  const inAlbum = [0, 4].map((nth) => `[data-index="${nth}"]`);
  const album = { click: inAlbum, press: Array(3).fill(images.selection.album) };
  all.push(["images-album", { place: "images", scene: "full", ...album }]);
  all.push(["images-sort", { place: "images", scene: "full", press: [images.order.label] }]);
  const { adopt } = images;
  const menu = [images.add.more, images.add.adopt];
  for (const [name, scene, ...press] of [
    ["used", "blog"],
    ["large", "blog"],
    ["broken", "blogBroken", home.lookAtIt],
    ["deletion", "blog"],
    ["adopt-1", "blogHosts", ...menu],
    ["adopt-2", "blog", ...menu, adopt.choose],
    ["adopt-2-hosts", "blogHosts", ...menu, adopt.choose],
    ["adopt-3", "blog", ...menu, adopt.choose, adopt.plan],
    ["adopt-4", "blogWorking", ...menu],
    ["adopt-5", "blog", ...menu, adopt.choose, adopt.plan, adopt.start],
    ["adopt-5-failed", "blogBroken", ...menu, adopt.choose, adopt.plan, adopt.start],
  ]) {
    const query = { place: "posts", scene, press };
    if (name === "large") Object.assign(query, { section: hash(2_415) });
    if (name === "deletion")
      Object.assign(query, { click: selected, press: Array(3).fill(images.menu.remove) });
    for (const [size, width, height] of [
      ["small", 900, 600],
      ["tall", 1100, 880],
    ])
      all.push([`posts-${name}-${size}`, query, height, width]);
  }
  all.push([
    "presence-rule",
    { place: "presence", scene: "full", click: "[data-part=open]" },
    2_000,
  ]);
  return all;
}

async function draw(folder, language, theme, [name, query, height = 760, width = 1_100]) {
  const address = new URL("preview.html", base);
  for (const [key, values] of Object.entries({ ...query, language, theme }))
    for (const value of [values].flat()) address.searchParams.append(key, value);
  const profile = await mkdtemp(join(tmpdir(), "porchlight-states-"));
  await run("chromium", [
    "--headless=new",
    "--no-sandbox",
    "--hide-scrollbars",
    `--user-data-dir=${profile}`,
    `--window-size=${width},${height}`,
    `--virtual-time-budget=${TIME}`,
    `--screenshot=${join(folder, `${name}.png`)}`,
    address.href,
  ]);
  await rm(profile, { recursive: true, force: true });
}

const only = process.argv[2] ?? "";
const waiting = [];
for (const language of ["en", "zh"])
  for (const theme of ["light", "dark"]) {
    const folder = join("..", "target", "states", `${language}-${theme}`);
    await mkdir(folder, { recursive: true });
    for (const state of await states(language))
      if (state[0].includes(only)) waiting.push(() => draw(folder, language, theme, state));
  }
const count = waiting.length;
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
  }),
);
await server.close();
process.stdout.write(`${count} states in target/states\n`);
