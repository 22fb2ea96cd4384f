// A message of the process as a sentence: its code chooses the text, its parameters fill it.

import type { Message, Parameter } from "../api/types";

export type Code = Message["code"];

/** The sentences of a language, with `{name}` for each parameter, and the full stop. */
export interface Sentences {
  messages: Record<Code, string>;
  stop: string;
}

/** The message as a whole sentence, in English for a detail; text of other programs is unchanged. */
export function toSentence(message: Message, { messages, stop }: Sentences): string {
  if (message.code === "text") return String(message.parameters.text);
  return punctuated(filled(message, messages, true), message.code === "detail" ? "." : stop);
}

/** The text of a message with its parameters in it. With `first`, it is capitalized. */
function filled(message: Message, messages: Record<Code, string>, first: boolean): string {
  const parameters: Record<string, Parameter> = "parameters" in message ? message.parameters : {};
  const text = messages[message.code];
  return (first ? capitalized(text) : text).replace(/\{(\w+)\}/g, (place, name, at: number) => {
    const parameter = parameters[name];
    if (parameter === undefined) return place;
    if (typeof parameter !== "object") {
      const words = String(parameter);
      return first && message.code === "detail" ? capitalized(words) : words;
    }
    return filled(parameter, messages, first && at === 0);
  });
}

/** Capitalizes the first letter, unless the text starts with a name. */
function capitalized(text: string): string {
  return text.replace(/^[a-z]+(?=[ ,'’])/, (word) => word.replace(/^./, (a) => a.toUpperCase()));
}

/** Adds a full stop, and removes spaces after full-width punctuation and backticks around the keys
 * of settings. */
function punctuated(text: string, stop: string): string {
  const closed = text.replace(/([，。；：）]) /g, "$1").replace(/`([a-z]+\.[a-z_]+)`/g, "$1");
  return /[.!?…。！？]$/.test(closed) ? closed : closed + stop;
}
