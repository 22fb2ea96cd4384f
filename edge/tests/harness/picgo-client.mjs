// PicGo or PicList (its core, the package `piclist`) with PicGo's plugin for Lsky Pro: uploads a picture
// twice and deletes it. Prints a line of JSON after each step. Run with the package, the service's address,
// a token, the version of Lsky Pro (V1 or V2) and a picture.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import lankong from "picgo-plugin-lankong";

const [client, server, token, lskyProVersion, picture] = process.argv.slice(2);
const { PicGo } = await import(client);
const picgo = new PicGo(join(mkdtempSync(join(tmpdir(), "picgo-")), "config.json"));
// The plugin parses answers itself, and both have parsed that of a deletion before.
const request = picgo.Request.request.bind(picgo.Request);
const asText = (answer) => (typeof answer === "string" ? answer : JSON.stringify(answer));
Object.defineProperty(picgo.Request, "request", {
  value: async (options) => asText(await request(options)),
});
picgo.use(lankong, "lankong");
const settings = { server, token, lskyProVersion, permission: 0, syncDelete: true };
picgo.setConfig({
  silent: true,
  picBed: { uploader: "lankong", current: "lankong", lankong: settings },
});

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function upload() {
  const uploaded = await picgo.upload([picture]);
  const [image] = Array.isArray(uploaded) ? uploaded : [];
  const { imgUrl = null, id = null } = image ?? {};
  const kind = imgUrl && (await fetch(imgUrl)).headers.get("content-type");
  print({ url: imgUrl, id, kind });
  return image;
}

await upload();
const image = await upload();
if (lskyProVersion === "V2" && image !== undefined) {
  const removed = new Promise((resolve) => picgo.once("notification", resolve));
  picgo.emit("remove", [{ ...image, type: "lankong" }], {});
  const { title, body } = await removed;
  print({ title, body, status: (await fetch(image.imgUrl)).status });
}
