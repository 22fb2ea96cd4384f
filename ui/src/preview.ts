// Shows a place of the window without the program, for working on its looks:
// `npm run dev`, then preview.html?place=images&scene=uploading&language=zh&theme=dark,
// or …?place=settings&section=tokens.
// Not part of the build.

import "./tokens.css";
import "./base.css";
import { mount } from "svelte";
import Game from "./game/Game.svelte";
import Images from "./images/Images.svelte";
import Presence from "./presence/Presence.svelte";
import Settings from "./settings/Settings.svelte";
import Statistics from "./statistics/Statistics.svelte";
import Frame from "./testing/Frame.svelte";
import { FakeNative, type Scene } from "./testing/fake-native";
import { scenes as game } from "./testing/scenes/game";
import { scenes as images } from "./testing/scenes/images";
import { scenes as presence } from "./testing/scenes/presence";
import { scenes as settings } from "./testing/scenes/settings";
import { scenes as statistics } from "./testing/scenes/statistics";
import { speak } from "./words/tongue";

/** The time in every scene: 20 November 2026, 14:20 UTC. */
const NOW = Date.UTC(2026, 10, 20, 14, 20);

const places = {
  images: [Images, images],
  presence: [Presence, presence],
  game: [Game, game],
  statistics: [Statistics, statistics],
  settings: [Settings, settings],
} as const;

const wanted = new URLSearchParams(location.search);
const [place, scenes] = places[(wanted.get("place") ?? "images") as keyof typeof places];
const theme = wanted.get("theme");
if (theme !== null) document.documentElement.dataset.theme = theme;

// The scenes stand still in time.
Date.now = () => NOW;

/** A little landscape that differs from hash to hash, in place of a photograph. */
function drawn(hash: string): string {
  const seed = Number.parseInt(hash.slice(-4), 16);
  const hue = (seed * 47) % 360;
  const sun = 60 + ((seed * 71) % 200);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240">
    <linearGradient id="s" x2="0" y2="1"><stop stop-color="hsl(${hue} 55% 42%)"/><stop offset="1" stop-color="hsl(${hue + 40} 75% 76%)"/></linearGradient>
    <rect width="320" height="240" fill="url(#s)"/><circle cx="${sun}" cy="96" r="28" fill="hsl(${hue + 50} 90% 88%)"/>
    <path d="M0 170 70 ${110 + (seed % 5) * 8}l60 50 70-${40 + (seed % 7) * 6} 120 80v80H0Z" fill="hsl(${hue + 10} 35% 34%)"/>
    <path d="M0 205q90-${20 + (seed % 4) * 9} 170 0t150-10v60H0Z" fill="hsl(${hue + 5} 40% 20%)"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

const tongue = speak(wanted.get("language") ?? "en");
document.documentElement.lang = tongue.locale;
const scene = (scenes as Record<string, Scene>)[
  wanted.get("scene") ?? Object.keys(scenes)[0] ?? ""
];
mount(Frame, {
  target: document.body,
  props: {
    native: new FakeNative(scene ?? {}, drawn),
    tongue,
    place,
    section: wanted.get("section"),
  },
});
