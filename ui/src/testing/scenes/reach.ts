// States of "Always reachable", for tests and for the preview without the app.

import type { DeployedWorker, EdgeSetup, EdgeWork, Reach, StoreCheck } from "../../api/types";
import type { Scene } from "../fake-native";
import { detail } from "../text";
import { edgeIn, pageWith, reachable, scenes as settings, settingsWith } from "./settings";

/** The time in every scene: 20 November 2026, 14:20 UTC. */
const NOW = Date.UTC(2026, 10, 20, 14, 20);

const inStore = {
  "storage.kind": "s3",
  "storage.endpoint": "https://abc.r2.cloudflarestorage.com",
  "storage.bucket": "pictures",
  "storage.access_key": true,
  "storage.secret_key": true,
  "storage.storage_url": "https://pictures.example.org",
};

/** What a test of the store finds when all is well. */
export const well: StoreCheck[] = (["write", "read", "type", "cors", "remove"] as const).map(
  (step) => ({ step, trouble: null }),
);

/** A test whose object other sites cannot read. */
export const withoutCors: StoreCheck[] = well.map((check) =>
  check.step === "cors"
    ? {
        step: "cors",
        trouble: {
          code: "store_no_cors",
          parameters: { address: "https://pictures.example.org/porchlight-test-4f.txt" },
        },
      }
    : check,
);

/** A scene with these settings in the file. */
function scene(inFile: Parameters<typeof settingsWith>[0], reach: Reach, checks = well) {
  return {
    ...settings.full,
    settings: pageWith(settingsWith(inFile)),
    reach,
    testStore: checks,
    writeEdgeFiles: { folder: "/home/mira/light-edge" },
  } satisfies Scene;
}

const withWorker = { ...inStore, "edge.secret": true, "edge.url": "https://light.example.org" };

/** The address of the Worker at Cloudflare. */
export const edgeUrl = "https://light.blog.workers.dev";
export const worker: DeployedWorker = {
  name: "light",
  version: "0.1.0",
  newer: null,
  later: false,
};
const nowhere: Reach = { ...reachable, hasKey: false, edge: edgeIn({ state: "off" }) };

/** Nothing is set up, but for this. */
const settingUp = (work: EdgeWork, setup: Partial<EdgeSetup> = {}) =>
  scene({}, { ...nowhere, setup: { work, tokenKept: false, deployed: null, ...setup } });

/** A Worker at Cloudflare. */
const deployed = (setup: Partial<EdgeSetup>, more: Partial<Reach> = {}) =>
  scene(
    { "storage.kind": "edge", "edge.url": edgeUrl, "edge.secret": true },
    {
      ...reachable,
      setup: { work: { state: "idle" }, tokenKept: false, deployed: worker, ...setup },
      ...more,
    },
  );

const waiting = { state: "running", task: "set_up", step: "wait", url: edgeUrl } as const;
const refused: Pick<Extract<EdgeWork, { state: "failed" }>, "state" | "step" | "accounts"> = {
  state: "failed",
  step: "account",
  accounts: [],
};

const fails = edgeIn({
  state: "fails",
  why: { code: "connection_refused", parameters: { text: "Connection refused" } },
  since: NOW - 5_300_000,
});

/** Every scene by its name. */
export const scenes = {
  uploading: settingUp({ state: "running", task: "set_up", step: "upload", url: null, why: null }),
  waiting: settingUp({ ...waiting, why: null }),
  notYet: settingUp({
    ...waiting,
    why: { code: "address_answers", parameters: { address: edgeUrl, status: 404 } },
  }),
  wrongToken: settingUp({
    ...refused,
    task: "set_up",
    why: { code: "cloudflare_token", parameters: { why: "Invalid API Token, code 1000" } },
  }),
  needsName: settingUp({ ...refused, task: "set_up", why: { code: "edge_needs_subdomain" } }),
  accounts: settingUp({
    ...refused,
    task: "set_up",
    why: { code: "edge_accounts", parameters: { accounts: "0123 (Blog), 4567 (Work)" } },
    accounts: [
      ["0123", "Blog"],
      ["4567", "Work"],
    ],
  }),
  done: deployed({
    work: {
      state: "done",
      task: "set_up",
      url: edgeUrl,
      note: detail("the keyring did not take the token, so it is forgotten"),
    },
  }),
  deployed: deployed({ tokenKept: true }),
  newer: deployed({ deployed: { ...worker, newer: "0.2.0" } }),
  holdsPictures: deployed({
    work: {
      ...refused,
      task: "remove",
      why: { code: "edge_holds_pictures", parameters: { count: 214 } },
    },
  }),
  reachable: scene(withWorker, reachable),
  first: scene({}, nowhere),
  store: scene(inStore, nowhere, withoutCors),
  checking: scene(withWorker, { ...reachable, edge: edgeIn({ state: "checking" }) }),
  another: scene(withWorker, { ...reachable, edge: edgeIn({ state: "another" }) }),
  notes: scene(withWorker, {
    ...reachable,
    edge: { ...reachable.edge, plainTunnel: true, onDisk: 214 },
  }),
  onDisk: scene(
    { "edge.secret": true, "edge.url": "https://light.mira.workers.dev" },
    { ...reachable, edge: { ...reachable.edge, onDisk: 1 } },
  ),
  limit: deployed({}, { edge: edgeIn({ state: "limit", until: Date.UTC(2026, 10, 21) }) }),
  fails: scene(withWorker, { ...reachable, edge: fails }),
  clock: scene(withWorker, { ...reachable, edge: { ...fails, clockIsOff: true } }),
} satisfies Record<string, Scene>;
