// A setting's value in words.

import type { SettingValue } from "../api/types";
import type { Locale } from "../words/locale";
import type { Control } from "./table";
import { fitting } from "./units";

/** The value of a setting as people read it. */
export function readable(
  value: SettingValue,
  control: Control,
  key: string,
  locale: Locale,
): string {
  const words = locale.words.settings;
  if (control.kind === "choice") return words.values[key]?.[String(value ?? "")] ?? String(value);
  if (control.kind === "switch") return value === true ? words.on : words.off;
  if (typeof value === "number") {
    if (control.kind !== "number" || control.units === undefined) return String(value);
    const unit = fitting(value, control.units);
    if (unit === undefined) return locale.number(value);
    const n = value / unit.size;
    return `${locale.number(n)} ${words.units[unit.name](n)}`;
  }
  if (value === null || (Array.isArray(value) && value.length === 0)) return words.unset;
  if (value === "") return words.empty;
  if (Array.isArray(value)) return value.map(String).join(" ");
  return String(value).trim();
}
