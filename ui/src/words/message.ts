// A message of the process as a sentence: its code chooses the text, its parameters fill it.

import type { Message, Parameter } from "../api/types";

export type Code = Message["code"];

/** The sentences of a language, with `{name}` where a parameter goes, and what ends one. */
export interface Sentences {
  messages: Record<Code, string>;
  stop: string;
}

/** The message as a whole sentence; the words of another program as they came. */
export function told(message: Message, { messages, stop }: Sentences): string {
  if (message.code === "text") return String(message.parameters.text);
  return whole(filled(message, messages, true), stop);
}

/** The text of a message with its parameters in it. The `first` word gets a capital. */
function filled(message: Message, messages: Record<Code, string>, first: boolean): string {
  const parameters: Record<string, Parameter> = "parameters" in message ? message.parameters : {};
  const text = messages[message.code];
  return (first ? begun(text) : text).replace(/\{(\w+)\}/g, (place, name, at: number) => {
    const parameter = parameters[name];
    if (parameter === undefined) return place;
    if (typeof parameter !== "object") return String(parameter);
    return filled(parameter, messages, first && at === 0);
  });
}

/** With a capital, where it begins with a word and not with a name. */
function begun(text: string): string {
  return text.replace(/^[a-z]+(?=[ ,'’])/, (word) => word.replace(/^./, (a) => a.toUpperCase()));
}

/** With a full stop, without a gap behind a sign that brings its own, and without the marks that a
 * terminal has around the keys of settings. */
function whole(text: string, stop: string): string {
  const closed = text.replace(/([，。；：）]) /g, "$1").replace(/`([a-z]+\.[a-z_]+)`/g, "$1");
  return /[.!?…。！？]$/.test(closed) ? closed : closed + stop;
}
