// Reading values from the backend, repeatedly.

import { expect, test } from "vitest";
import { Reading } from "../src/reading.svelte";

/** Answers that the test sends itself. */
function slow() {
  const answers: ((n: number) => void)[] = [];
  return { answers, ask: () => new Promise<number>((resolve) => answers.push(resolve)) };
}

const turn = () => new Promise((later) => setTimeout(later));

test("values are shown even if changes are more frequent than answers", async () => {
  const { answers, ask } = slow();
  const reading = new Reading(ask);
  void reading.read();
  for (let n = 0; n < 3; n++) {
    // A change arrives before each answer.
    void reading.read();
    answers[n]?.(n);
    await turn();
    expect(reading.value).toBe(n);
    expect(answers.length).toBe(n + 2);
  }
});
