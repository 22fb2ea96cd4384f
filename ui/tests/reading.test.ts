// What a place reads, and reads again.

import { expect, test } from "vitest";
import { Reading } from "../src/reading.svelte";

/** Answers that come when the test says so. */
function slow() {
  const answers: ((n: number) => void)[] = [];
  return { answers, ask: () => new Promise<number>((resolve) => answers.push(resolve)) };
}

const turn = () => new Promise((later) => setTimeout(later));

test("changes that come faster than answers keep nothing from being shown", async () => {
  const { answers, ask } = slow();
  const reading = new Reading(ask);
  void reading.read();
  for (let n = 0; n < 3; n++) {
    // Each answer is overtaken by a change.
    void reading.read();
    answers[n]?.(n);
    await turn();
    expect(reading.value).toBe(n);
    expect(answers.length).toBe(n + 2);
  }
});
