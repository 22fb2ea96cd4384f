// Shows a place of the window without the program, for working on its looks:
// `npm run dev`, then preview.html?place=images&scene=uploading&language=zh&theme=dark;
// the whole window: place=home, place=welcome, or place=window&at=settings.
// `press=More` presses the button of that name, and may come more than once;
// `key=?` types that, and `key=Ctrl k` with Ctrl held; `click=.day` clicks what that selects,
// with Ctrl held. `npm run states` draws all of it.
// Not part of the build.

import "../tokens.css";
import "../base.css";
import { mount } from "svelte";
import App from "../App.svelte";
import type { PlaceName } from "../api/interface";
import Game from "../game/Game.svelte";
import Images from "../images/Images.svelte";
import Presence from "../presence/Presence.svelte";
import Settings from "../settings/Settings.svelte";
import Statistics from "../statistics/Statistics.svelte";
import { createLocale } from "../words/locale";
import Frame from "./Frame.svelte";
import { FakeNative, type Scene } from "./fake-native";
import { scenes as game } from "./scenes/game";
import { scenes as home, lit } from "./scenes/home";
import { scenes as images, sizeOf } from "./scenes/images";
import { scenes as posts } from "./scenes/posts";
import { scenes as presence } from "./scenes/presence";
import { scenes as reach } from "./scenes/reach";
import { scenes as settings } from "./scenes/settings";
import { scenes as statistics } from "./scenes/statistics";
import { scenes as welcome } from "./scenes/welcome";

/** The time in every scene: 20 November 2026, 14:20 UTC. */
const NOW = Date.UTC(2026, 10, 20, 14, 20);

const places = {
  images: [Images, images],
  posts: [Images, posts],
  presence: [Presence, presence],
  game: [Game, game],
  statistics: [Statistics, statistics],
  settings: [Settings, settings],
  reachable: [Settings, reach],
} as const;

const wanted = new URLSearchParams(location.search);
const theme = wanted.get("theme");
if (theme !== null) document.documentElement.dataset.theme = theme;

// The scenes stand still in time.
Date.now = () => NOW;

/** A little landscape that differs from hash to hash, in place of a photograph, of its shape. */
function drawn(hash: string): string {
  const seed = Number.parseInt(hash.slice(-4), 16);
  const hue = (seed * 47) % 360;
  const sun = 60 + ((seed * 71) % 200);
  const [width, height] = sizeOf(hash);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 320 240" preserveAspectRatio="xMidYMid slice">
    <linearGradient id="s" x2="0" y2="1"><stop stop-color="hsl(${hue} 55% 42%)"/><stop offset="1" stop-color="hsl(${hue + 40} 75% 76%)"/></linearGradient>
    <rect width="320" height="240" fill="url(#s)"/><circle cx="${sun}" cy="96" r="28" fill="hsl(${hue + 50} 90% 88%)"/>
    <path d="M0 170 70 ${110 + (seed % 5) * 8}l60 50 70-${40 + (seed % 7) * 6} 120 80v80H0Z" fill="hsl(${hue + 10} 35% 34%)"/>
    <path d="M0 205q90-${20 + (seed % 4) * 9} 170 0t150-10v60H0Z" fill="hsl(${hue + 5} 40% 20%)"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

const name = wanted.get("scene");
const language = wanted.get("language") ?? "en";

/** One place, without the window around it. */
function onePlace(place: keyof typeof places) {
  const [root, scenes] = places[place];
  const scene: Scene = chosen(scenes);
  const { home } = scene;
  const locale = createLocale(language);
  document.documentElement.lang = locale.tag;
  mount(Frame, {
    target: document.body,
    props: {
      native: new FakeNative(scene, drawn),
      locale,
      place: root,
      section: wanted.get("section"),
      home: typeof home === "object" ? home : lit,
    },
  });
}

/** The whole window, at a place. */
function wholeWindow(scenes: Record<string, Scene>, at: PlaceName) {
  // Every place has its first scene, and the wanted one lies over them.
  const others = Object.values(places).map(([, scenes]) => chosen(scenes, null));
  const native = new FakeNative(Object.assign({}, ...others, chosen(scenes)), drawn);
  const appearance = { theme: wanted.get("theme") ?? "system", language, systemLanguage: language };
  native.answer({ appearance });
  mount(App, { target: document.body, props: { native, appearance } });
  // Once the listeners are registered.
  setTimeout(() => {
    native.emit("show-place", at);
    native.emit("drop-hover", wanted.has("hover"));
  });
}

function chosen(scenes: Record<string, Scene>, wanted = name): Scene {
  return scenes[wanted ?? ""] ?? Object.values(scenes)[0] ?? {};
}

const place = wanted.get("place") ?? "window";
if (place in places) onePlace(place as keyof typeof places);
else wholeWindow(place === "welcome" ? welcome : home, (wanted.get("at") ?? "home") as PlaceName);

// Clicks the next button once the previous click has rendered it.
wanted.getAll("press").forEach((name, nth) => {
  setTimeout(
    () => {
      const buttons = [...document.querySelectorAll<HTMLElement>("button, label")];
      buttons
        .findLast((one) => one.textContent?.trim() === name || one.ariaLabel === name)
        ?.click();
    },
    (nth + 1) * 300,
  );
});

wanted.getAll("click").forEach((selector) => {
  const click = new MouseEvent("click", { bubbles: true, ctrlKey: true });
  setTimeout(() => document.querySelector(selector)?.dispatchEvent(click), 600);
});

/** Sample texts of one language, in the other: a picture of the window has one language. */
const samples: [zh: string, en: string][] = [
  [
    "码头尽头的旧灯塔，从回家的渡船上看过去，天已经快黑了，远处的岛上亮起了第一盏灯",
    "The old lighthouse at the end of the pier, seen from the ferry on the way home",
  ],
  [
    "工作室窗边的那台旧笔记本电脑，屏幕上贴着便条",
    "The old laptop next to the window of the workshop",
  ],
  [
    "写屋后花园里的樱花 🌸 和它们在雨里的样子，还有去年的灯笼",
    "Writing about cherry blossoms 🌸 in the garden behind the house",
  ],
  [
    "有茶，有音乐，也看得见港口，写到天黑看不清纸为止，然后下楼去吃晚饭",
    "With tea, music and a view of the harbour until it is too dark to see the paper",
  ],
  ["写代码 & 茶", "writing code & tea"],
  ["看网页", "reading the web"],
  ["晚饭后回来", "Back after dinner"],
  ["散步", "Out for a walk"],
  ["空洞骑士", "Hollow Knight"],
  ["灯笼与雨", "lanterns in the rain"],
  ["灯笼", "lantern"],
  ["新手机", "New phone"],
  ["手机", "Phone"],
  ["平板", "Tablet"],
  ["游戏机", "Console"],
  ["听音乐", "listening to music"],
  ["图片/博客", "Pictures/blog"],
  ["喝茶时回来", "Back for tea"],
];
const chinese = language.startsWith("zh");
new MutationObserver(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    // The sample mixes both languages.
    let text = (node.nodeValue ?? "").replace("写代码 & tea", "写代码 & 茶");
    for (const [zh, en] of samples) text = chinese ? text.replace(en, zh) : text.replace(zh, en);
    if (text !== node.nodeValue) node.nodeValue = text;
  }
}).observe(document.body, { childList: true, characterData: true, subtree: true });

const typed = wanted.get("key")?.split(" ");
if (typed !== undefined) {
  const press = { key: typed.at(-1) ?? "", ctrlKey: typed[0] === "Ctrl" };
  setTimeout(() => dispatchEvent(new KeyboardEvent("keydown", press)), 300);
}
