// Translates messages of the process for the window: in the chosen language, as a
// sentence. The process speaks English alone, to its log, its commands and the window alike. A
// sentence that is not known here is shown as it came.

import { answers, answersOfKind } from "./said/answers";
import { care } from "./said/care";
import { machine } from "./said/machine";
import { others } from "./said/others";
import { pictures } from "./said/pictures";
import type { Sentence } from "./said/sentence";
import { service } from "./said/service";
import { settings } from "./said/settings";
import { steam } from "./said/steam";

/** Sentences of Porchlight itself, as they stand in its sources. */
export const sentences: readonly Sentence[] = [
  settings,
  service,
  machine,
  pictures,
  care,
  steam,
].flat();

/** A pattern of sentences, and its form in this language. */
interface Form {
  said: RegExp;
  told: string;
}

interface Language {
  forms: Form[];
  /** A suffix after a name, and its form in this language. */
  behind: [said: string, told: string][];
  /** The text for an answer, by status and body. */
  answer(status: string, text: string): string | undefined;
  /** What ends a sentence. */
  stop: string;
  colon: string;
  semicolon: string;
}

/** A language, with a cache for the parts of one text. */
interface Telling extends Language {
  known: Map<string, string | undefined>;
}

const answered = /^the service answered (\d{3}): (.*)$/s;

function language(column: "english" | "chinese"): Language {
  const english = column === "english";
  // Those that say most by themselves first.
  const forms = sentences
    .concat(others)
    .sort(([one], [other]) => other.replaceAll("{}", "").length - one.replaceAll("{}", "").length)
    .map(([said, chinese, plain]): Form => {
      const fixed = said.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      const told = english ? (plain ?? said) : chinese;
      return { said: new RegExp(`^${fixed.join("(.*?)")}$`, "s"), told };
    });
  const behind = sentences.filter(([said]) => said.startsWith(" "));
  return {
    forms,
    behind: behind.map(([said, chinese]) => [said, english ? said : chinese]),
    answer: (status, text) => {
      const known = answers.find(
        ([code, words]) => code === Number(status) && (words === null || words === text),
      );
      if (known !== undefined) return english ? known[2] : known[3];
      return answersOfKind[status[0] ?? ""]?.[english ? 0 : 1].replace("{}", status);
    },
    stop: english ? "." : "。",
    colon: english ? ": " : "：",
    semicolon: english ? "; " : "；",
  };
}

/** The text in this language; `undefined` if unknown. The `first` word gets a capital. */
function told(text: string, language: Telling, first: boolean): string | undefined {
  const key = `${first} ${text}`;
  if (!language.known.has(key)) language.known.set(key, found(text, language, first));
  return language.known.get(key);
}

function found(text: string, language: Telling, first: boolean): string | undefined {
  const [, status, body] = answered.exec(text) ?? [];
  if (status !== undefined) return language.answer(status, body ?? "");
  for (const { said, told: form } of language.forms) {
    const parts = said.exec(text)?.slice(1);
    if (parts === undefined) continue;
    // A variable part may itself be a sentence.
    return (first ? begun(form) : form).replace(/\{\}/g, (_, at: number) => {
      const part = parts.shift() ?? "";
      return told(part, language, first && at === 0) ?? part;
    });
  }
  return reasons(text, language, first) ?? ending(text, language, first) ?? named(text, language);
}

/** With a capital, where it begins with a word and not with a name. */
function begun(text: string): string {
  return text.replace(/^[a-z]+(?=[ ,'’])/, (word) => word.replace(/^./, (a) => a.toUpperCase()));
}

/** Two reasons for one thing. */
function reasons(text: string, language: Telling, first: boolean): string | undefined {
  const both = text.split("; ");
  if (both.length === 1) return undefined;
  const all = both.map((one, n) => told(one, language, first && n === 0));
  return all.includes(undefined) ? undefined : all.join(language.semicolon);
}

/** An untranslated part, such as a file name, followed by a sentence. */
function ending(text: string, language: Telling, first: boolean): string | undefined {
  for (let at = text.indexOf(": "); at >= 0; at = text.indexOf(": ", at + 1)) {
    const tail = told(text.slice(at + 2), language, false);
    if (tail === undefined) continue;
    const head = text.slice(0, at);
    return `${told(head, language, first) ?? head}${language.colon}${tail}`;
  }
  return undefined;
}

/** A name, and what is put behind it. */
function named(text: string, { behind }: Language): string | undefined {
  const end = behind.find(([said]) => text.endsWith(said));
  return end === undefined ? undefined : text.slice(0, -end[0].length) + end[1];
}

/** With a full stop, without a gap behind a sign that brings its own, and without the marks that a
 * terminal has around the keys of settings. */
function whole(text: string, { stop }: Language): string {
  const closed = text.replace(/([，。；：）]) /g, "$1").replace(/`([a-z]+\.[a-z_]+)`/g, "$1");
  return /[.!?…。！？]$/.test(closed) ? closed : closed + stop;
}

const languages = { en: language("english"), zh: language("chinese") };

/** What the process says in this language, or as it came. */
export function saidIn(spoken: "en" | "zh", text: string): string {
  const language = languages[spoken];
  const known = told(text, { ...language, known: new Map() }, true);
  return known === undefined ? text : whole(known, language);
}
