// The notices of the window, for every part of it.

import { createContext } from "svelte";
import type { Notices } from "../notice.svelte";

/** `getNotices` must be called during component initialisation. */
export const [getNotices, setNotices] = createContext<Notices>();
