// Link templates, as in the backend.

/** The named formats and their templates. */
export const forms: Record<string, string> = {
  "{url}": "{url}",
  url: "{url}",
  markdown: "![]({url})",
  html: '<img src="{url}" alt="">',
  responsive: '<img src="{url}" srcset="{url}?w=320 320w, …" sizes="auto, 100vw" alt="">',
  bbcode: "[img]{url}[/img]",
};

/** The address in the example. */
const EXAMPLE = "https://light.example.com/i/8f14e45fceea167a5a36dedd4bea2543";

/** A template with the example's address in it. */
export function filled(template: string): string {
  return (forms[template] ?? template).replaceAll("{url}", EXAMPLE);
}
