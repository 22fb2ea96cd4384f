// Messages of the backend in scenes and tests.

import { Trouble } from "../api/interface";
import type { Message } from "../api/types";

/** A message with text of another program. */
export const text = (text: string): Message => ({ code: "text", parameters: { text } });

/** A sentence of the backend that is English in every language. */
export const detail = (text: string): Message => ({ code: "detail", parameters: { text } });

/** A command that needs the database while another program has it. */
export const locked = new Trouble(
  detail(
    "Porchlight’s database failed: another program is using it, so close that one and try again",
  ),
);
