// States of "Always reachable", for tests and for the preview without the app.

import type { Reach, StoreCheck } from "../../api/types";
import type { Scene } from "../fake-native";
import { pageWith, reachable, scenes as settings, settingsWith } from "./settings";

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
const published = { ...inStore, "publish.enabled": true, "edge.secret": true };

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
          parameters: { address: "https://pictures.example.org/porchlight/test-4f.txt" },
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

const withAddress = { ...published, "edge.url": "https://light.example.org" };

/** Every scene by its name. */
export const scenes = {
  reachable: scene(withAddress, reachable),
  first: scene({}, { ...reachable, hasKey: false, snapshot: null, edge: { state: "off" } }),
  store: scene(
    inStore,
    { ...reachable, hasKey: false, snapshot: null, edge: { state: "off" } },
    withoutCors,
  ),
  troubles: scene(withAddress, {
    ...reachable,
    snapshot: {
      written: NOW - 5_400_000,
      another: true,
      plainTunnel: true,
      onDisk: 214,
      trouble: { why: { code: "store_unreachable" }, since: NOW - 5_300_000 },
    },
    edge: { state: "snapshot", checked: NOW - 20_000 },
  }),
  limit: scene(
    { ...published, "edge.url": "https://light.mira.workers.dev" },
    { ...reachable, edge: { state: "limit", checked: NOW - 20_000 } },
  ),
  fails: scene(withAddress, {
    ...reachable,
    edge: {
      state: "fails",
      why: { code: "edge_empty", parameters: { address: "https://light.example.org" } },
      checked: NOW - 20_000,
    },
  }),
} satisfies Record<string, Scene>;
