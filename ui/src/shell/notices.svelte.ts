// The notices of the window, for every part of it.

import { createContext } from "svelte";
import type { Notices } from "../notice.svelte";

/** `getNotices` is for use while a component is made. */
export const [getNotices, setNotices] = createContext<Notices>();
