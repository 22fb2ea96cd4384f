// A window whose backend does not answer, or fails.

import { screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { lit } from "../src/testing/scenes/home";
import { locked } from "../src/testing/text";
import { button, change, open, text } from "./window";

describe("a service", () => {
  test("that does not answer leads to an error with a retry button", async () => {
    const { native, user } = await open("lost");
    expect(
      screen.getByText(
        "Porchlight’s database failed: another program is using it, so close that one and try again.",
      ),
    ).toBeTruthy();
    expect(screen.getByText("Service not responding")).toBeTruthy();
    native.answer({ home: lit });
    await user.click(button("Try again"));
    await screen.findByRole("heading", { name: "You’re online" });
  });

  test("that stops answering leaves the last status with a warning", async () => {
    const { native } = await open("good");
    change(native, locked);
    await screen.findByText(
      "Porchlight’s database failed: another program is using it, so close that one and try again.",
    );
    expect(screen.getByText("2,417 in total")).toBeTruthy();
  });
});

test("an error notice stays until Escape", async () => {
  const { native, user } = await open("good");
  native.failure = "The clipboard is not there.";
  await user.click(button("Copy address"));
  await screen.findByText("The clipboard is not there.");
  await user.keyboard("{Escape}");
  expect(text()).not.toContain("The clipboard is not there.");
});
