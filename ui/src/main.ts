// The window's page.

import "./tokens.css";
import "./base.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { native } from "./native";
import { speak } from "./words/tongue";

const tongue = speak(navigator.language);
document.documentElement.lang = tongue.locale;
mount(App, { target: document.body, props: { native, tongue } });
