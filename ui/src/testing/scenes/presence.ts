// States of the place "presence", for tests and for looking at it without the program.

import type { Scene } from "../fake-native";

/** Every scene by its name. */
export const scenes = {
  empty: {},
} satisfies Record<string, Scene>;
