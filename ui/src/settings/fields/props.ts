// What the fields of settings have in common.

import type { SettingValue } from "../../api/types";

/** The ids of what names and describes a control, and whether it can be used. */
export interface Named {
  labelledby: string;
  describedby: string;
  disabled: boolean;
}

/** A control whose value is typed, and written when it is left. */
export interface Typed extends Named {
  value: SettingValue;
  invalid: boolean;
  type: (typed: SettingValue) => void;
  commit: () => void;
  cancel: () => void;
}

/** One that also writes a value that was chosen, at once. */
export interface Chosen extends Typed {
  set: (wanted: SettingValue) => void;
}
