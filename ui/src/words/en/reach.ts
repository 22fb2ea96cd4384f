// The texts of the settings group "Always reachable".

import type { EdgeState, StoreMaker, StoreStep } from "../../api/types";
import { counting } from "../counting";

/** The fix for a failed step of the test, by storage provider. */
type Advice = Partial<Record<StoreStep, Record<StoreMaker, string>>>;

/** The texts, with numbers formatted for `locale`. */
export function reach(locale: string) {
  const { number } = counting(locale);

  const edge: Record<
    EdgeState["state"],
    [title: string, sentence: (when: string, why: string) => string]
  > = {
    off: [
      "Not set up yet",
      () => "Without a Worker, readers get nothing while this computer is off.",
    ],
    checking: ["Connecting to the Worker…", () => "This takes a few seconds."],
    works: ["The Worker is online", (when) => `Readers have everything, as of ${when}.`],
    another: [
      "The Worker belongs to another Porchlight",
      () =>
        "Readers see the pictures and the status of the other one, or what was there before you restored a backup. Take over to show them yours.",
    ],
    limit: [
      "Today’s limit is reached",
      (when) =>
        `Cloudflare’s free plan allows no more until ${when}. Until then, readers may get errors. For a higher limit, use the paid plan for Workers, or your own server.`,
    ],
    fails: ["The Worker gets no updates", (when, why) => `Since ${when}: ${why}`],
  };

  const test: Record<StoreStep, string> = {
    write: "Write with your keys",
    read: "Read at the public address",
    type: "Correct file type",
    cors: "Readable by scripts of your blog (CORS)",
    remove: "Delete",
  };

  const keys = "Check endpoint, region, bucket and both keys in Storage.";
  const script = "Only needed if scripts of your blog read pictures.";
  const advice: Advice = {
    write: { r2: keys, own: keys, other: keys },
    read: {
      r2: "In the bucket’s settings at Cloudflare, connect a custom domain, or turn on the public development URL to try it out. Then set that address in Storage.",
      own: "Let everybody read the bucket. With Garage, use this command; the public address is that of its web port.",
      other: "Let everybody read the bucket’s objects, and check the public address in Storage.",
    },
    type: {
      r2: "Something in front of the bucket changes the type. Check your transform rules.",
      own: "Something in front of the storage changes the type. Check your proxy.",
      other: "Something in front of the storage changes the type. Check your CDN.",
    },
    cors: {
      r2: `${script} Paste this in the bucket’s settings, under CORS policy.`,
      own: `${script} Run this command. With Garage, the key needs to own the bucket: garage bucket allow --owner.`,
      other: `${script} Run this command, or set the same rules on your provider’s page.`,
    },
    remove: {
      r2: "The key may write but not delete. Give it “Object Read & Write”.",
      own: "The key may write but not delete. Give it both.",
      other: "The key may write but not delete. Give it both.",
    },
  };

  const ways: Record<"worker" | "store", [title: string, sentence: string]> = {
    worker: [
      "Deploy the Worker yourself",
      "On your own server, or at Cloudflare without giving Porchlight a token. “porchlight edge init” writes the same files.",
    ],
    store: [
      "Keep pictures in your own S3 storage",
      "With a Worker, readers get the pictures from there while this computer is off. R2 works, too.",
    ],
  };

  return {
    edge,
    test,
    advice,
    ways,
    clock: "This computer’s clock is more than five minutes off. Set it to the correct time.",
    retries: (why: string) =>
      `${why} Porchlight tries again at least every minute. If it keeps failing, check the address and the key, or deploy the Worker again.`,
    takeOver: "Take over",
    plain:
      "The tunnel’s address isn’t https, so the Worker can’t use it. Choose a tunnel that has https.",
    onDisk: (n: number) =>
      n === 1
        ? "1 picture is still on this disk. Readers can’t see it while this computer is off."
        : `${number(n)} pictures are still on this disk. Readers can’t see them while this computer is off.`,
    move: "Move to storage",
    toStorage: "Set up storage",
    testStore: "Test the storage",
    testing: "Testing…",
    testGood: "The storage works.",
    testBad: "Not ready yet.",
    devUrl:
      "This r2.dev address is limited and meant for trying out. Use a custom domain for your readers.",
    writeFiles: "Save setup files…",
    filesWritten: (folder: string) => `Saved in ${folder}`,
    onServer:
      "On your own server, copy worker.js and workerd.capnp to a folder, set the variable EDGE_SECRET, and run there:",
    atCloudflare:
      "At Cloudflare, open a terminal in the folder of the files and run (needs Node.js):",
    variable: "Variable",
    value: "Value at Cloudflare",
    secret: "Copy key",
    secretCopied: "Key copied",
    noKey: "Save the files first: that makes the key.",
    line: "Copy line",
    lineCopied: "Line copied",
    workersDev:
      "A workers.dev address can’t be reached from mainland China. A domain of your own can.",
  };
}
