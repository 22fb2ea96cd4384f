// The window's page.

import "./language";
import "./tokens.css";
import "./base.css";
import App from "./App.svelte";
import { native } from "./native";
import { open } from "./opening";

// Read before the first rendering, so that no wrong theme flashes up.
native
  .appearance()
  .catch(() => ({ theme: "system", language: "system", systemLanguage: navigator.language }))
  .then((appearance) => open(App, native, appearance, document.body));
