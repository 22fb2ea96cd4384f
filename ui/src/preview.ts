// Shows the window without the program, for working on its looks:
// `npm run dev`, then preview.html?scene=uploading&language=zh&theme=dark.
// Not part of the build.

import "./tokens.css";
import "./base.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { FakeNative } from "./testing/fake-native";
import { NOW, type SceneName, scenes } from "./testing/scenes";
import { speak } from "./words/tongue";

const wanted = new URLSearchParams(location.search);
const name = (wanted.get("scene") ?? "on") as SceneName;
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
mount(App, {
  target: document.body,
  props: { native: new FakeNative(scenes[name], drawn), tongue },
});
