// The texts of the page "images", in English.

import type { AddressKind, Home, ImageFilter, ImageOrder, UploadTrouble } from "../../api/types";
import { counting } from "../counting";

/** The texts, with numbers formatted for `locale`. */
export function images(locale: string) {
  const { number, counted, one } = counting(locale);
  const pictures = (n: number) => counted(n, "picture", "pictures");
  const views = (n: number) => counted(n, "view", "views");
  const posts = (n: number) => counted(n, "post", "posts");
  const links = (n: number) => counted(n, "link", "links");

  const trouble: Record<UploadTrouble, string> = {
    unreadable: "Couldn’t read this file. Check that it still exists and that you can open it.",
    not_a_file: "No file here: the folder is empty, or nothing is there.",
    too_large: "This picture is too large. You can raise the limit in Settings, Quality.",
    not_a_picture: "This format isn’t supported. Save it as JPEG, PNG or WebP.",
    too_many: "Too many files at once. Add the rest when these are finished.",
    broken: "This picture is damaged. Save it again and retry.",
    storage: "Couldn’t save this picture. Retry in a moment; the log has details.",
  };

  const kinds: Record<AddressKind, string | undefined> = {
    permanent: undefined,
    temporary: "This address changes when Porchlight restarts.",
    local: "Readers can’t open this address.",
  };

  return {
    inAll: (n: number) => `${number(n)} in total`,
    found: (n: number) => `${number(n)} found`,
    loading: "Loading pictures…",
    trouble: "Couldn’t load your pictures.",
    empty: "No pictures yet. Drop some anywhere in this window, paste one, or choose files.",
    nothingFound: "No pictures found.",
    showAll: "Show all pictures",
    search: {
      label: "Search by name, date or link",
      clear: "Clear search",
    },
    order: {
      label: "Sort and filter",
      by: "Sort",
      only: "Filter",
      orders: {
        newest: "Newest first",
        oldest: "Oldest first",
        name: "By name",
        largest: "Largest first",
        views: "Most viewed first",
      } satisfies Record<ImageOrder, string>,
      all: "All pictures",
      filters: {
        animated: "Animated only",
        unnamed: "Unnamed only",
        unseen: "Not viewed yet",
        in_no_post: "In no post",
      } satisfies Record<ImageFilter, string>,
    },
    menu: {
      label: "Picture",
      open: "View large",
      copyAs: (form: string) => `Copy as ${form}`,
      select: "Select",
      deselect: "Deselect",
      remove: "Delete",
    },
    add: {
      pictures: "Add pictures…",
      more: "More ways to add pictures",
      files: "Choose files…",
      folder: "Choose a folder…",
      paste: "Paste from the clipboard",
      adopt: "Adopt a blog…",
    },
    grid: {
      picture: (when: string, width: number, height: number, seen: number) =>
        `Picture added ${when}, ${width} by ${height} ${one(height) ? "pixel" : "pixels"}, ${views(seen)}`,
      coming: "Loading this picture",
      notShown: "Couldn’t show this picture",
      views,
      yesterday: "Yesterday",
      ofDay: pictures,
      animated: "animated",
    },
    selection: {
      label: "Selected pictures",
      count: (n: number) => `${number(n)} selected`,
      announcement: (n: number) => `${pictures(n)} selected`,
      all: "Select all",
      clear: "Clear selection",
      copy: "Copy links",
      album: "Album…",
    },
    album: {
      title: "Album",
      name: "Name of the album",
      hint: "Leave it empty to take the pictures out of their album. Readers who know the name can list its pictures.",
      existing: "Existing albums",
      everywhere: (album: string) => `Rename “${album}” on all its pictures`,
      putIn: "Put in album",
      takeOut: "Take out",
      rename: "Rename",
      put: (n: number, album: string | null) =>
        album === null
          ? `${pictures(n)} taken out of ${n === 1 ? "its album" : "their albums"}`
          : `${pictures(n)} put in “${album}”`,
      renamed: (album: string) => `Album renamed to “${album}”`,
    },
    links: {
      forms: {
        own: "My format",
        url: "URL",
        markdown: "Markdown",
        html: "HTML",
        responsive: "Responsive HTML",
        bbcode: "BBCode",
      },
      copy: "Copy link",
      form: "Link format",
      preferred: "preferred",
      kinds,
      copied: (n: number, kind: AddressKind) => {
        const text = n === 1 ? "Link copied" : `${number(n)} links copied`;
        return kinds[kind] === undefined ? text : `${text}. ${kinds[kind]}`;
      },
      copiedSome: (n: number, of: number) =>
        `Copied the first ${number(n)} of ${counted(of, "link", "links")}`,
    },
    posts: {
      title: "Posts",
      used: (n: number) => (n === 0 ? "in no post" : `in ${posts(n)}`),
      open: "Open",
      openOf: (file: string) => `Open ${file}`,
      wrong: "Problems in posts",
      broken: (n: number) => `${links(n)} in posts ${one(n) ? "is" : "are"} broken`,
      unread: (n: number) => `${posts(n)} couldn’t be read`,
    },
    adopt: {
      title: "Adopt a blog",
      lead: "Porchlight uploads the pictures of your posts and changes their addresses in your files. You see each change before anything is written, and can undo it.",
      offer: "Your posts have pictures already? Porchlight can move them here.",
      choose: "Choose the blog’s folder…",
      found: {
        posts: (n: number) => `${one(n) ? "post" : "posts"} read`,
        local: (n: number) => `${one(n) ? "link" : "links"} to pictures in this folder`,
        ours: (n: number) => `${one(n) ? "link" : "links"} to pictures already here`,
        missing: (n: number) => `${one(n) ? "link" : "links"} to missing pictures; not changed`,
        outside: (n: number) => `${one(n) ? "link" : "links"} outside this folder; not changed`,
        unused: (n: number) => `${one(n) ? "picture" : "pictures"} in this folder in no post`,
      },
      foreign: "On other sites",
      foreignWhy: "Pictures of the sites you choose are downloaded and kept here, too.",
      drafts: "Include drafts",
      draftsWhy: (n: number) => `${links(n)} in drafts`,
      needs: "Links need a permanent address first.",
      needsWhy: "You can look at everything, but nothing is written until then.",
      plan: "Show changes",
      planned: (uploads: number, addresses: number, changed: number) =>
        addresses === 0
          ? "There is nothing to change."
          : `${pictures(uploads)}, ${counted(addresses, "address", "addresses")} in ${posts(changed)}`,
      diff: "Changes",
      cut: "Only the first 400 lines are shown.",
      start: "Adopt",
      done: (uploaded: number, here: number, addresses: number, changed: number) =>
        `${pictures(uploaded)} uploaded, ${number(here)} already here. ${counted(addresses, "address", "addresses")} changed in ${posts(changed)}.`,
      failed: (n: number) => `${links(n)} whose picture couldn’t be fetched; not changed`,
      left: (n: number) => `${posts(n)} left unchanged`,
      undone: (restored: number, uploaded: number) =>
        `${posts(restored)} restored. ${counted(uploaded, "uploaded picture stays", "uploaded pictures stay")} in Porchlight.`,
    },
    removal: {
      title: (n: number) => `Delete ${pictures(n)}?`,
      used: (used: number, of: number, names: string, more: number) =>
        `${of === 1 ? "This picture is" : `${number(used)} of these ${pictures(of)} ${one(used) ? "is" : "are"}`} in posts: ${names}${more > 0 ? ` and ${number(more)} more` : ""}. Readers would see a gap there.`,
      done: (n: number) => `${pictures(n)} deleted.`,
      copies: ({ caches: { edge, store }, address }: Pick<Home, "caches" | "address">) => {
        // Without a Worker a CDN in front of the service may cache pictures.
        if (!edge)
          return address.kind === "local"
            ? "Browsers can keep copies for up to a year."
            : "Browsers and CDNs can keep copies for up to a year.";
        const places = store ? "at the edge cache and at the store’s CDN" : "at the edge cache";
        const text = `Copies may stay ${places} for up to a day, in readers’ browsers for up to a year.`;
        return store
          ? `${text} The CDN may keep pictures from older versions for up to a year, too.`
          : text;
      },
      back: (n: number) => `${pictures(n)} put back`,
      notBack: (n: number) => `Couldn’t put ${pictures(n)} back. See the log for details.`,
    },
    trash: {
      open: "Deleted pictures…",
      title: "Deleted pictures",
      empty: "There are no deleted pictures to put back.",
      count: (n: number) =>
        `${pictures(n)} can be put back. Readers don’t see ${n === 1 ? "it" : "them"}.`,
      left: (days: number) => `${counted(days, "day", "days")} left`,
      more: (n: number) => `and ${number(n)} more`,
      putBack: "Put back",
      putBackOf: (name: string) => `Put back ${name}`,
      putAllBack: "Put all back",
      trouble: "Couldn’t load the deleted pictures.",
    },
    large: {
      label: (nth: number, of: number) => `Picture ${number(nth)} of ${number(of)}`,
      previous: "Previous picture",
      next: "Next picture",
      renamed: "Renamed",
      zoomIn: "Actual size",
      zoomOut: "Fit to window",
      nameHint: "The alternative text of links in Markdown and HTML. Otherwise only you see it.",
      added: "Added",
      pixels: "Dimensions",
      size: "Size",
      moving: (format: string) => `${format}, animated`,
      source: "Original",
      views: "Views",
      hash: "ID",
      link: "Link",
      remove: "Delete picture",
      across: (width: number, height: number) => `${width} × ${height}`,
    },
    queue: {
      title: "Uploads",
      progress: "Upload progress",
      uploading: (done: number, of: number) => `Uploading: ${number(done)} of ${number(of)} done`,
      finished: (added: number, known: number, failed: number) => {
        const parts: string[] = [];
        if (added > 0) parts.push(`${pictures(added)} uploaded`);
        if (known > 0) parts.push(`${number(known)} already here`);
        if (failed > 0) parts.push(`${number(failed)} failed`);
        return parts.join(", ");
      },
      bytes: (done: string, all: string) => `${done} of ${all}`,
      pace: (perSecond: string) => `${perSecond}/s`,
      clear: "Clear finished",
      copyOf: (name: string) => `Copy link to ${name}`,
      retry: "Retry",
      retryOf: (name: string) => `Retry ${name}`,
      retryAll: "Retry all",
      cancelOf: (name: string) => `Cancel ${name}`,
      cancelAll: "Cancel the rest",
      showAll: (n: number) => `Show all ${number(n)}`,
      showFewer: "Show fewer",
      more: (n: number) => `${counted(n, "more file", "more files")} not shown`,
      waiting: "waiting",
      done: "uploaded",
      duplicate: "already here",
      failed: "failed",
      became: (from: string, to: string) => `${from} → ${to}, WebP`,
      lost: "Couldn’t load the uploads.",
      trouble,
    },
    aside: {
      title: (n: number) => `${counted(n, "file", "files")} couldn’t be uploaded`,
      sentence: (n: number): string =>
        n === 1 ? "It stays in your watched folder." : "They stay in your watched folders.",
      dismiss: "Remove from list",
      dismissOf: (name: string) => `Remove ${name} from the list`,
      dismissAll: "Remove all from list",
      lost: "Couldn’t load the files that weren’t uploaded.",
    },
  };
}
