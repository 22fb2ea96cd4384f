// The groups that settings are shown in, below their headings.

/** The groups of settings below their headings, in the order of the list. */
export const sections = [
  ["general", ["app", "maintenance"]],
  ["sharing", ["sharing", "system", "game"]],
  ["pictures", ["images", "folders", "links", "editors", "storage"]],
  ["online", ["tunnel", "reachable"]],
  ["advanced", ["service", "ip", "tokens"]],
] as const;

/** A heading. */
export type Section = (typeof sections)[number][0];

/** All groups. */
export const groups = sections.flatMap(([, groups]) => [...groups]);

/** One of them. */
export type Group = (typeof groups)[number];

/** Whether this is the name of a group. */
export function isGroup(name: string): name is Group {
  return (groups as readonly string[]).includes(name);
}

/** Other names of a group. */
export const otherNames: Record<string, Group> = {
  presence: "sharing",
  heartbeat: "service",
  server: "service",
  edge: "reachable",
  limits: "service",
  watch: "folders",
  blog: "folders",
  picgo: "editors",
  tools: "editors",
  update: "app",
  log: "maintenance",
  backup: "maintenance",
};
