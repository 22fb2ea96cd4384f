// Links of pictures: their forms, and the notice after copying.

import { type Native, Trouble } from "../api/interface";
import type { LinkForm, Picture } from "../api/types";
import { getWindow } from "../context";
import type { HomeState } from "../home/home.svelte";
import type { Notices } from "../notice.svelte";
import { MOST } from "./deletion.svelte";

const NAMED: LinkForm[] = ["url", "markdown", "html", "responsive", "bbcode"];
// The same as in crates/service/src/text/image_hash.rs.
const WIDTHS = [320, 640, 960, 1280, 1920];

const HTML = { "&": "&amp;", '"': "&quot;", "'": "&#39;", "<": "&lt;", ">": "&gt;" };
const inHtml = (text: string) =>
  text.replace(/[&"'<>]/g, (found) => HTML[found as keyof typeof HTML]);
const MARKDOWN = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };
const inMarkdown = (text: string) =>
  text.replace(
    /[\\[\]`*_<>&]/g,
    (found) => MARKDOWN[found as keyof typeof MARKDOWN] ?? `\\${found}`,
  );

/** An address with the name at its end, in letters and digits of any script. */
function named(url: string, name: string): string {
  const words = name.split(/[^\p{Alphabetic}\p{N}]+/u).filter((word) => word !== "");
  const parts = /^(.*\/i\/[0-9a-fA-F]{32})(\.webp)?$/.exec(url);
  return words.length === 0 || parts === null ? url : `${parts[1]}/${words.join("-")}.webp`;
}

/** The link of a picture as the process makes it; `template` is the owner's. */
export function written(picture: Picture, form: LinkForm, template: string): string {
  const { url, width, height } = picture;
  const name = picture.name ?? "";
  const src = inHtml(url);
  const image = (more: string) =>
    `<img src="${src}"${more} width="${width}" height="${height}" alt="${inHtml(name)}">`;
  switch (form) {
    case "own":
      return template.replaceAll("{url}", url).replaceAll("{named_url}", named(url, name));
    case "url":
      return url;
    case "markdown":
      return `![${inMarkdown(name)}](${url})`;
    case "html":
      return image("");
    case "responsive": {
      const narrower = WIDTHS.filter((one) => one < width).map((one) => `${src}?w=${one} ${one}w`);
      const all = [...narrower, `${src} ${width}w`].join(", ");
      return image(` srcset="${all}" sizes="auto, 100vw" loading="lazy"`);
    }
    case "bbcode":
      return `[img]${url}[/img]`;
  }
}

/** Copies links, in the form that the owner prefers or in another. */
export class Links {
  readonly #words = getWindow().locale.words.images.links;

  constructor(
    private readonly native: Native,
    private readonly home: HomeState,
    private readonly notices: Notices,
  ) {}

  /** The preferred form; "own" is a template without a name. */
  get form(): LinkForm {
    return this.home.home?.links.form ?? "url";
  }

  /** The forms that differ. */
  get forms(): LinkForm[] {
    return this.form === "own" ? ["own", ...NAMED] : NAMED;
  }

  /** The link of this picture in the preferred form. */
  of(picture: Picture): string {
    return written(picture, this.form, this.home.home?.links.template ?? "{url}");
  }

  /** The notice for this many copied links, which warns of a temporary address. */
  copied(count: number): string {
    return this.#words.copied(count, this.home.home?.address.kind ?? "permanent");
  }

  /** Copies the links of these pictures; `own` is the preferred form. */
  copy(hashes: string[], form: LinkForm = "own"): Promise<boolean> {
    const copied = hashes.slice(0, MOST);
    return this.notices.run(
      () => this.native.copyLinks(copied, form),
      copied.length < hashes.length
        ? this.#words.copiedSome(copied.length, hashes.length)
        : this.copied(copied.length),
    );
  }

  /** Copies them in this form, which is the preferred one from now on. A template without a name is
   * kept: it could not be chosen again. */
  async choose(hashes: string[], form: LinkForm) {
    const keeps = form === this.form || this.form === "own";
    if ((await this.copy(hashes, form)) && !keeps) {
      await this.notices.run(async () => {
        const [problem] = await this.native.updateSettings({ "links.template": form });
        if (problem !== undefined) throw new Trouble(problem.why);
      });
    }
  }
}

/** Must be called during component initialisation. */
export function getLinks(notices: Notices = getWindow().notices): Links {
  return new Links(getWindow().native, getWindow().first, notices);
}
