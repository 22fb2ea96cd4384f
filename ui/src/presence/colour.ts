// Presence colours. The owner may choose any, a reader's page may be any; what
// is drawn here must be visible on both the light and the dark theme.

/** Red, green and blue from 0 to 255, alpha from 0 to 1. */
export interface Colour {
  red: number;
  green: number;
  blue: number;
  alpha: number;
}

/** One colour for each theme, as CSS writes it. */
export interface Shades {
  day: string;
  night: string;
}

type Rgb = [number, number, number];

// The card of each theme, as in tokens.css; a test checks that.
export const paper: Rgb = [255, 253, 250];
export const night: Rgb = [24, 28, 35];
// The minimum contrast of WCAG for non-text elements.
const SEEN = 3;

/** The default presence colour, for heartbeats without a colour. */
export const DEFAULT_COLOUR: Colour = { red: 255, green: 180, blue: 84, alpha: 1 };

/** The name of a predefined status colour. */
export type Choice = "red" | "orange" | "yellow" | "green" | "teal" | "blue" | "purple" | "pink";

/** Predefined status colours; each has enough contrast on both themes. */
export const CHOICES: Record<Choice, string> = {
  red: "214,69,65,1",
  orange: "217,98,28,1",
  yellow: "176,125,0,1",
  green: "46,140,80,1",
  teal: "0,137,140,1",
  blue: "51,112,214,1",
  purple: "136,87,205,1",
  pink: "208,66,130,1",
};

/** Parses `r,g,b,a`; `null` if it is not a colour. */
export function parse(text: string): Colour | null {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length !== 4) return null;
  const whole = parts.slice(0, 3).map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : 256));
  const alpha = /^(\d+\.?\d*|\.\d+)$/.test(parts[3] ?? "") ? Number(parts[3]) : 2;
  const [red = 256, green = 256, blue = 256] = whole;
  if (Math.max(red, green, blue) > 255 || alpha > 1) return null;
  return { red, green, blue, alpha };
}

/** The colour as it is written in a rule: `r,g,b,a`. */
export function written({ red, green, blue, alpha }: Colour): string {
  return `${red},${green},${blue},${Number(alpha.toFixed(2))}`;
}

/** `#rrggbb` for a colour field, without alpha. */
export function toHex({ red, green, blue }: Colour): string {
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** The colour of a colour field, with a separate alpha. */
export function fromHex(hex: string, alpha: number): Colour {
  const value = Number.parseInt(hex.slice(1), 16);
  return { red: value >> 16, green: (value >> 8) & 255, blue: value & 255, alpha };
}

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours, as WCAG 2.2 defines it: 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

const mixed = (below: Rgb, above: Rgb, share: number): Rgb => [
  below[0] + (above[0] - below[0]) * share,
  below[1] + (above[1] - below[1]) * share,
  below[2] + (above[2] - below[2]) * share,
];

/** `colour` mixed with `far` until it has enough contrast on `ground`. */
function seenOn(ground: Rgb, far: Rgb, colour: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const tried = mixed(colour, far, share);
    if (contrast(tried, ground) >= SEEN) return tried;
  }
  return far;
}

const css = (colour: Rgb) => `rgb(${colour.map((part) => Math.round(part)).join(" ")})`;

/** The colour `text` for each theme, with its lightness adjusted for enough contrast. */
export function shades(text: string): Shades {
  const { red, green, blue, alpha } = parse(text) ?? DEFAULT_COLOUR;
  const full: Rgb = [red, green, blue];
  return {
    day: css(seenOn(paper, [0, 0, 0], mixed(paper, full, alpha))),
    night: css(seenOn(night, [255, 255, 255], mixed(night, full, alpha))),
  };
}
