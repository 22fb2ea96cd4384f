// What a place reads, and reads again.

import { expect, test } from "vitest";
import { Reading } from "../src/reading.svelte";
import { whileSeen } from "../src/seen";

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

test("what is read again and again rests while nobody can see it", async () => {
  let hidden = false;
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  let reads = 0;
  const end = whileSeen(20, () => reads++);
  await expect.poll(() => reads).toBeGreaterThan(1);
  hidden = true;
  const before = reads;
  await new Promise((later) => setTimeout(later, 100));
  expect(reads).toBe(before);
  hidden = false;
  document.dispatchEvent(new Event("visibilitychange"));
  // At once, not only when the next one is due.
  expect(reads).toBe(before + 1);
  end();
  const last = reads;
  document.dispatchEvent(new Event("visibilitychange"));
  expect(reads).toBe(last);
  Reflect.deleteProperty(document, "hidden");
});
