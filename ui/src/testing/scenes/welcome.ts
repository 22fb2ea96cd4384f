// States of the first run, for tests and for looking at it without the program.

import type { Scene } from "../fake-native";
import { bare } from "./home";

/** Every scene by its name. */
export const scenes = {
  first: { home: { read: { ...bare, sharing: "unasked", welcomed: false } } },
} satisfies Record<string, Scene>;
