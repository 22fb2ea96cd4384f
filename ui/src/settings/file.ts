// What is wrong in the settings file, in words.

import type { FileProblem } from "../api/types";
import type { Tongue } from "../words/tongue";

/** Each problem with its line and its setting. */
export function problemsOf(problems: readonly FileProblem[], { words, said }: Tongue): string[] {
  const { place, problem } = words.settings.file;
  return problems.map(({ line, key, why }) => problem(place(line, key), said(why)));
}

/** The first of them, where there is room for one. */
export function inTheFile(problems: readonly FileProblem[], tongue: Tongue): string {
  return problemsOf(problems.slice(0, 1), tongue).join("");
}
