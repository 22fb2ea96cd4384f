// What the command palette offers for a text: pages, actions and settings.

import type { Native } from "../../api/interface";
import type { Home } from "../../api/types";
import type { HomeState } from "../../home/home.svelte";
import type { Notices } from "../../notice.svelte";
import { find } from "../../settings/find";
import type { Group } from "../../settings/groups";
import type { RowKey } from "../../settings/table";
import type { Words } from "../../words/en";
import type { Navigation } from "../navigation.svelte";
import { places } from "../places";

const MOST_SETTINGS = 8;

/** A dialog of the window that an action opens. */
export type Opens = "status" | "blog";

/** One line of the palette. */
export interface Entry {
  id: string;
  kind: "page" | "action" | "setting" | "picture";
  label: string;
  /** The hash of the picture, of which a thumbnail is shown. */
  picture?: string;
  run: () => unknown;
  /** What Ctrl+Enter does instead. */
  other?: { label: string; run: () => unknown };
}

/** What actions work with. */
export interface Tools {
  native: Native;
  first: HomeState;
  navigation: Navigation;
  notices: Notices;
  words: Words;
  /** The words in English, which are understood in every language. */
  english: Words;
  open: (dialog: Opens) => void;
}

/** An action: its label, what it does, and whether it is offered now. */
type Action = [id: string, label: string, run: () => unknown, offered?: boolean];

function actions(home: Home | null, { native, first, notices, words, open }: Tools): Action[] {
  const { address, status, pause, resume, share } = words.home;
  const then = async (action: () => Promise<void>) => {
    if (await notices.run(action)) await first.read();
  };
  const copyAddress = () =>
    notices.run(
      () => native.copyAddress(),
      home === null ? undefined : address.copied(words.images.links.kinds[home.address.kind]),
    );
  const sharing = home?.sharing;
  const on = sharing === "on";
  return [
    ["add", words.images.add.pictures, () => notices.run(() => native.choosePictures())],
    ["paste", words.shell.shortcuts.paste, () => notices.run(() => native.pastePictures())],
    ["address", address.copy, copyAddress],
    ["pause", pause, () => then(() => native.pause("half_an_hour")), on],
    ["resume", resume, () => then(() => native.resume()), sharing === "paused"],
    ["share", share, () => then(() => native.share(true)), sharing === "off"],
    ["status", home?.presence.fixed ? status.change : status.set, () => open("status"), on],
    ["blog", words.blog.open, () => open("blog")],
    ["quit", words.home.quit, () => notices.run(() => native.quit())],
  ];
}

/** Pages and actions, in the language of `words`. */
function offered(tools: Tools): Entry[] {
  const { navigation, words } = tools;
  return [
    ...places.map((place) => ({
      id: `page-${place}`,
      kind: "page" as const,
      label: words.places[place],
      run: () => navigation.to(place),
    })),
    ...actions(tools.first.home, tools)
      .filter(([, , , offered = true]) => offered)
      .map(([id, label, run]) => ({ id: `action-${id}`, kind: "action" as const, label, run })),
  ];
}

/** Groups of settings and settings that are found in these words. */
function settings(wanted: string, { navigation, words }: Tools, found: Words): Entry[] {
  const entry = (section: Group | RowKey, label: string) => ({
    id: `setting-${section}`,
    kind: "setting" as const,
    label,
    run: () => navigation.to("settings", section),
  });
  return find(wanted, found.settings).flatMap(({ group, keys }) =>
    // Where no setting is found, it is something else in the group.
    keys.length === 0
      ? [entry(group, words.settings.groups[group][0])]
      : keys.map((key) => entry(key, words.settings.rows[key][0])),
  );
}

/** The entries for `wanted`, without the pictures; settings only where something is wanted. */
export function entries(wanted: string, tools: Tools): Entry[] {
  const { words, english } = tools;
  const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const inEnglish = new Map(
    offered({ ...tools, words: english }).map(({ id, label }) => [id, label]),
  );
  const fitting = offered(tools).filter(({ id, label }) => {
    const names = `${label} ${inEnglish.get(id)}`.toLowerCase();
    return parts.every((part) => names.includes(part));
  });
  if (parts.length === 0) return fitting;
  const found = [...settings(wanted, tools, words), ...settings(wanted, tools, english)];
  const once = new Map(found.map((entry) => [entry.id, entry]));
  return [...fitting, ...[...once.values()].slice(0, MOST_SETTINGS)];
}
