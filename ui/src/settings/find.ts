// Searches settings by label, description or key.

import type { SettingsWords } from "../words/en/settings";
import { type Group, groups } from "./groups";
import { type RowKey, rowKeys, rows } from "./table";

/** The matching groups, each with its matching settings; empty if only the group matches. */
export function find(wanted: string, words: SettingsWords): { group: Group; keys: RowKey[] }[] {
  const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (...texts: string[]) => {
    const all = texts.join(" ").toLowerCase();
    return parts.every((part) => all.includes(part));
  };
  return groups
    .map((group) => ({
      group,
      keys: rowKeys.filter(
        (key) =>
          rows[key].group === group &&
          // Its cards are shown only in its group.
          key !== "tunnel.kind" &&
          fits(key, ...words.rows[key], ...Object.values(words.values[key] ?? {})),
      ),
    }))
    .filter(
      ({ group, keys }) => keys.length > 0 || fits(...words.groups[group], ...inside(group, words)),
    );
}

/** Other texts of a group. */
function inside(group: Group, words: SettingsWords): string[] {
  const { login, menu, rules, move, editors, tokens } = words;
  const { diagnostics, diagnosticsSentence, diagnosticsStart, diagnosticsDone, ...maintenance } =
    words.maintenance;
  switch (group) {
    case "app":
      return [
        ...[login.label, login.sentence, menu.label, menu.sentence],
        ...[words.about(""), words.licence],
        ...[diagnostics, diagnosticsSentence, diagnosticsStart, diagnosticsDone],
      ];
    case "sharing":
      return [rules.label, rules.sentence];
    case "tunnel":
      return [
        "tunnel.kind",
        ...words.rows["tunnel.kind"],
        ...Object.values(words.tunnel.cards).flat(),
      ];
    case "storage":
      return [move.label, move.sentence];
    case "editors":
      return [editors.title, ...Object.values(editors.names).flat()];
    case "tokens":
      return [tokens.fresh, tokens.revoke];
    case "maintenance":
      return Object.values(maintenance);
    default:
      return [];
  }
}
