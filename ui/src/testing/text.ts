// Messages of the backend in scenes and tests.

import { Trouble } from "../api/interface";
import type { Message } from "../api/types";

/** A message with text of another program. */
export const text = (text: string): Message => ({ code: "text", parameters: { text } });

/** A command that needs the database while another program has it. */
export const locked = new Trouble({
  code: "database_fails",
  parameters: { why: { code: "locked", parameters: { text: "database is locked" } } },
});
