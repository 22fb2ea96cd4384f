// The page's own process, for every part of the page.

import { createContext } from "svelte";
import type { Native } from "./interface";

/** `getNative` is for use while a component is made. */
export const [getNative, setNative] = createContext<Native>();
