// The window's page.

import "./language";
import "./tokens.css";
import "./base.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { native } from "./native";

// Asked for before anything is drawn, so that no wrong theme flashes up.
native.settings.appearance().then(
  (appearance) => open(appearance),
  () => open({ theme: "system", language: "system", systemLanguage: navigator.language }),
);

function open(appearance: Awaited<ReturnType<typeof native.settings.appearance>>) {
  mount(App, { target: document.body, props: { native, appearance } });
}
