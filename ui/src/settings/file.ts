// Problems in the settings file, as text.

import type { FileProblem } from "../api/types";
import type { Locale } from "../words/locale";

/** Each problem with its line and its setting. */
export function problemsOf(problems: readonly FileProblem[], { words, message }: Locale): string[] {
  const { place, problem } = words.settings.file;
  return problems.map(({ line, key, why }) => problem(place(line, key), message(why)));
}

/** Only the first problem. */
export function firstFileProblem(problems: readonly FileProblem[], locale: Locale): string {
  return problemsOf(problems.slice(0, 1), locale).join("");
}
