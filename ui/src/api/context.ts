// The page's own process, for every part of the page.

import { createContext } from "svelte";
import type { Native } from "./interface";

/** `getNative` must be called during component initialisation. */
export const [getNative, setNative] = createContext<Native>();
