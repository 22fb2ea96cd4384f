// The texts of the settings group "Always reachable".

import type { EdgeGlance, StoreMaker, StoreStep } from "../../api/types";
import type { ReachStep } from "../../settings/reach";
import { counting } from "../counting";

/** The fix for a failed step of the test, by storage provider. */
type Advice = Partial<Record<StoreStep, Record<StoreMaker, string>>>;

/** The texts, with numbers formatted for `locale`. */
export function reach(locale: string) {
  const { number } = counting(locale);

  const steps: Record<ReachStep, [name: string, sentence: string]> = {
    store: [
      "Object storage",
      "Holds your pictures and a snapshot of your status, so both are there while this computer is off.",
    ],
    worker: [
      "Worker",
      "A small program at Cloudflare, or on your own server. It answers your blog at an address that never changes.",
    ],
    address: ["Address", "The Worker’s web address. Links and your blog’s code use it."],
  };

  const edge: Record<EdgeGlance["state"], [title: string, sentence: string]> = {
    off: ["Not set up yet", "Without this, readers get nothing while this computer is off."],
    checking: ["Checking the Worker…", "This takes a few seconds."],
    service: ["Everything works", "The Worker answers, and it reaches this computer."],
    snapshot: [
      "Answering from the snapshot",
      "The Worker doesn’t reach this computer right now. It tries again every 30 seconds and needs the tunnel to be online and the same key.",
    ],
    store: [
      "Everything works",
      "The Worker keeps your pictures and your status, and answers whether this computer is on or off.",
    ],
    limit: [
      "Today’s free requests are used up",
      `Cloudflare’s free plan allows ${number(100_000)} requests a day. It answers again after midnight UTC.`,
    ],
    fails: ["The Worker doesn’t work", ""],
  };

  const test: Record<StoreStep, string> = {
    write: "Write with your keys",
    read: "Read at the public address",
    type: "Correct file type",
    cors: "Readable from your blog (CORS)",
    remove: "Delete",
  };

  const keys = "Check endpoint, region, bucket and both keys in Storage.";
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
      r2: "Paste this in the bucket’s settings, under CORS policy.",
      own: "Run this command. With Garage, the key needs to own the bucket: garage bucket allow --owner.",
      other: "Run this command, or set the same rules on your provider’s page.",
    },
    remove: {
      r2: "The key may write but not delete. Give it “Object Read & Write”.",
      own: "The key may write but not delete. Give it both.",
      other: "The key may write but not delete. Give it both.",
    },
  };

  const ways: [title: string, sentence: string][] = [
    ["A paid plan for Workers", "Raises the limit. Nothing else changes."],
    [
      "Picture links straight to your storage",
      "Pictures are most of the requests. In your posts, use the storage’s own public address for them.",
    ],
    ["Your own server", "The folder from step 2 also has workerd.capnp, for workerd."],
  ];

  return {
    steps,
    edge,
    test,
    advice,
    ways,
    stepDone: "Done",
    stepOpen: "To do",
    stepFails: "Doesn’t work",
    roundTrip: (ms: number) => `${number(ms)} ms`,
    checked: (ago: string) => `checked ${ago}`,
    again: "Check again",
    againSoon: "Will be checked again, at most once a minute",
    snapshot: (age: string) => `Snapshot: ${age}`,
    written: (ago: string) => `written ${ago}`,
    unwritten: "not written yet",
    noSnapshot: "not published",
    troubleSince: (when: string) => `The snapshot wasn’t saved since ${when}:`,
    another:
      "This storage holds another computer’s snapshot. Yours isn’t published, so that it doesn’t replace it.",
    plain:
      "The tunnel’s address isn’t https, so the Worker can’t use it. Choose a tunnel that has https.",
    onDisk: (n: number) =>
      n === 1
        ? "1 picture is still on this disk. Readers can’t see it while this computer is off."
        : `${number(n)} pictures are still on this disk. Readers can’t see them while this computer is off.`,
    move: "Move to storage",
    takeOver: "Replace it with mine",
    onDiskOnly: "Pictures are kept on this disk, which readers can’t reach while it’s off.",
    toStorage: "Set up storage",
    noUrl: "Storage has no public address yet.",
    testStore: "Test the storage",
    testing: "Testing…",
    testGood: "The storage works.",
    testBad: "Not ready yet.",
    corsSpared: "Not needed: your blog reads the status through the Worker.",
    devUrl:
      "This r2.dev address is limited and meant for trying out. Use a custom domain for your readers.",
    writeFiles: "Save setup files…",
    filesWritten: (folder: string) => `Saved in ${folder}`,
    deploy: "Then open a terminal in that folder and run:",
    byHand: "I don’t have Node.js",
    byHandSteps: [
      "At Cloudflare, create a Worker, choose “Edit code”, and paste the script.",
      "In its settings, add these variables, and the key as a secret.",
    ],
    script: "Copy script",
    scriptCopied: "Script copied",
    variable: "Variable",
    value: "Value",
    secretHidden: "not shown",
    secret: "Copy key",
    secretCopied: "Key copied",
    noKey: "Save the files first: that makes the key.",
    line: "Copy line",
    lineCopied: "Line copied",
    workersDev:
      "A workers.dev address can’t be reached from mainland China. A domain of your own can.",
  };
}
