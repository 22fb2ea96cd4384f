// What the window gives to all its parts.

import { createContext } from "svelte";
import type { Native } from "./api/interface";
import type { HomeState } from "./home/home.svelte";
import type { MaintenanceState } from "./maintenance.svelte";
import type { Notices } from "./notice.svelte";
import type { Navigation } from "./shell/navigation.svelte";
import type { Locale } from "./words/locale";

const [getNative, setNative] = createContext<Native>();
const [getNotices, setNotices] = createContext<Notices>();
const [getNavigation, setNavigation] = createContext<Navigation>();
const [getHomeState, setHomeState] = createContext<HomeState>();
const [getMaintenance, setMaintenance] = createContext<MaintenanceState>();
const [getLocale, setLocale] = createContext<Locale>();

export { setHomeState, setLocale, setMaintenance, setNative, setNavigation, setNotices };

const given = {
  /** The process. */
  get native() {
    return getNative();
  },
  get notices() {
    return getNotices();
  },
  /** Which page is open. */
  get navigation() {
    return getNavigation();
  },
  /** The status. */
  get first() {
    return getHomeState();
  },
  get maintenance() {
    return getMaintenance();
  },
  get locale() {
    return getLocale();
  },
};

/** Must be called during component initialisation, and takes only what is asked of it. */
export const getWindow = () => given;
