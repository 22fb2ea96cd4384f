import { screen } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { colour } from "../src/light/state";
import { lit, scenes } from "../src/testing/scenes";
import { button, open, text } from "./window";

describe("the question of the first run", () => {
  test("says what would be shared, and that nothing is yet", async () => {
    await open("first");
    expect(
      screen.getByRole("heading", { name: "Leave a light on for your readers?" }),
    ).toBeTruthy();
    expect(text()).toContain("no programs, no window titles");
    expect(text()).toContain("Nothing is reported before you answer");
    expect(screen.getByText("What readers would see")).toBeTruthy();
  });

  test("shares when the owner says so, and lights the lamp", async () => {
    const { native, user } = await open("first");
    expect(screen.queryByRole("img", { name: "A porch lamp, lit" })).toBeNull();
    await user.click(button("Share it"));
    expect(native.asked).toContain("share:true");
    native.changeHome({ light: lit.light });
    await vi.waitFor(() => screen.getByRole("img", { name: "A porch lamp, lit" }));
    expect(screen.queryByRole("button", { name: "Not now" })).toBeNull();
  });

  test("shares nothing when the owner says no, and can be answered again", async () => {
    const { native, user } = await open("first");
    await user.click(button("Not now"));
    expect(native.asked).toContain("share:false");
    await vi.waitFor(() => screen.getByRole("heading", { name: "The light is off" }));
    expect(document.activeElement?.textContent).toContain("The light is off");
    await user.click(button("Share it"));
    expect(native.asked).toContain("share:true");
  });

  test("stays when the answer could not be kept, and says why", async () => {
    const { native, user } = await open("first");
    native.failure = "The settings file is read-only.";
    await user.click(button("Share it"));
    expect(
      (await screen.findByText(/settings file is read-only/)).closest("[role=alert]"),
    ).toBeTruthy();
    expect(button("Share it")).toBe(document.activeElement);
    native.failure = null;
    await user.click(button("Share it"));
    await vi.waitFor(() => expect(screen.queryByText(/read-only/)).toBeNull());
  });
});

describe("the light", () => {
  test("names the program and what is said of it, in the colour of the heartbeat", async () => {
    const { container } = await open("described");
    expect(screen.getByRole("heading", { name: "Zed" })).toBeTruthy();
    expect(screen.getAllByText("写代码 & tea", { exact: false }).length).toBe(2);
    expect(text()).toContain("last heartbeat 12 seconds ago");
    const root = container.querySelector<HTMLElement>(".window");
    expect(root?.style.getPropertyValue("--presence")).toBe("233 30 99");
    expect(root?.style.getPropertyValue("--presence-alpha")).toBe("0.9");
    expect(container.querySelector(".bulb.lit")).not.toBeNull();
  });

  test("pauses and resumes", async () => {
    const { native, user, container } = await open("on");
    await user.click(button("Pause"));
    expect(native.asked).toContain("pause:true");
    await user.click(await screen.findByRole("button", { name: "Resume" }));
    expect(native.asked).toContain("pause:false");
    await user.click(await screen.findByRole("button", { name: "Stop sharing" }));
    expect(native.asked).toContain("share:false");
    await vi.waitFor(() => expect(container.querySelector(".bulb.lit")).toBeNull());
  });

  test("says that readers still see the last heartbeat of a light that is off", async () => {
    await open("paused");
    expect(text()).toContain("Readers still see the last heartbeat until it grows old.");
  });

  test("does not claim to be on before the first heartbeat or long after the last", async () => {
    const { unmount } = await open("waiting");
    expect(screen.getByRole("heading", { name: "The light is coming on" })).toBeTruthy();
    unmount();
    await open("trouble");
    expect(screen.getByRole("heading", { name: "The light has gone out" })).toBeTruthy();
    expect(screen.getByText("Nobody is in")).toBeTruthy();
  });

  test("says that the owner is away", async () => {
    const home = { ...lit, light: { ...lit.light, application: "Zed", online: false } };
    await open({ home, uploads: [] });
    expect(text()).toContain("Readers see that you are not at it right now.");
  });

  test("shows somebody where heartbeats carry no fields", async () => {
    const home = { ...lit, light: { ...lit.light, application: "", online: false, rgba: "" } };
    await open({ home, uploads: [] });
    expect(screen.getByRole("heading", { name: "You are in" })).toBeTruthy();
    expect(screen.getByText("Somebody is in")).toBeTruthy();
  });

  test("follows what the process says", async () => {
    const { native } = await open("on");
    native.changeHome({ light: { ...lit.light, application: "Blender" } });
    await screen.findByRole("heading", { name: "Blender" });
  });
});

describe("the service", () => {
  test("has its port in the top bar and its address to be copied", async () => {
    const { native, user } = await open("on");
    expect(screen.getByText("Service on port 4780")).toBeTruthy();
    expect(screen.getByText("https://light.example.org")).toBeTruthy();
    await user.click(button("Copy the address"));
    expect(native.asked).toContain("copyAddress");
    await screen.findByText("The address is on the clipboard");
  });

  test("says that a local address is only local", async () => {
    await open("paused");
    expect(screen.getByText("Only this computer can reach it.")).toBeTruthy();
  });

  test("says what is wrong when it does not listen and heartbeats fail", async () => {
    await open("trouble");
    expect(screen.getByText("Service not listening")).toBeTruthy();
    expect(text()).toContain("Port 4780 is used by another program.");
    expect(text()).toContain("The last heartbeat could not be sent. connection refused");
  });

  test("that does not say anything leaves the reason and a way to try again", async () => {
    const { native, user } = await open("lost");
    expect(screen.getByText("The database is locked by another program.")).toBeTruthy();
    native.state = scenes.on.home;
    await user.click(button("Try again"));
    await screen.findByRole("heading", { name: "Porchlight", level: 2 });
  });

  test("that falls silent leaves what was known, and says so", async () => {
    const { native } = await open("on");
    native.state = new Error("The database is locked by another program.");
    native.changeHome({});
    await screen.findByText("The database is locked by another program.");
    expect(screen.getByText("2,417 in all")).toBeTruthy();
  });
});

describe("a colour", () => {
  test("is read with or without spaces", () => {
    expect(colour("233, 30, 99, 0.9")).toEqual({ rgb: "233 30 99", alpha: 0.9 });
  });

  test("is none where it is empty or not four numbers", () => {
    for (const wrong of ["", "1,2,3", "a,b,c,1", "1,2,3,", "1,2,3,4,5"])
      expect(colour(wrong)).toBeNull();
  });
});
