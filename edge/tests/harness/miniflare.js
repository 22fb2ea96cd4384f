// The Worker of a folder in Miniflare, as Cloudflare has it with `--r2`: STORE, and images in an R2
// bucket. The tests of the service start it, and end it as a power cut would:
//   node miniflare.js FOLDER PORT

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Miniflare } from "miniflare";

const [folder = ".", port = "0"] = process.argv.slice(2);
const { EDGE_SECRET = "", ORIGIN = "" } = process.env;
const contents = readFileSync(join(folder, "worker.js"), "utf8");
const miniflare = new Miniflare({
  modules: [{ type: "ESModule", path: "worker.js", contents }],
  compatibilityDate: "2025-01-01",
  host: "127.0.0.1",
  port: Number(port),
  // Nothing is asked of Cloudflare.
  cf: false,
  bindings: { EDGE_SECRET, ORIGIN, CLIENT_IP_HEADER: "X-Real-IP" },
  durableObjects: { STORE: { className: "Store", useSQLite: true } },
  durableObjectsPersist: join(folder, "objects"),
  r2Buckets: ["BUCKET"],
  r2Persist: join(folder, "bucket"),
});
await miniflare.ready;
