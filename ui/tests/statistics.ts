// Shared by the tests of the statistics page.

import { screen } from "@testing-library/svelte";
import type { UserEvent } from "@testing-library/user-event";
import { drawn } from "./framed";

/** Chooses a custom range. */
export async function ownDays(user: UserEvent, from: string, to: string) {
  await user.click(screen.getByRole("radio", { name: "Custom…" }));
  for (const [label, day] of [
    ["From", from],
    ["To", to],
  ] as const) {
    const field = screen.getByLabelText(label) as HTMLInputElement;
    field.value = day;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  await drawn();
}
