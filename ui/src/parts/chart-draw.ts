// How a chart is drawn: stacked bars by uPlot, in the colours of the tokens.

// First: uPlot would not load without it in a system whose locale is `C`.
import "../language";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type Fill, fillStyle } from "./chart-fill";

/** One part of every bar. */
export interface Part {
  /** The token of its colour, such as `--accent`. */
  token: string;
  fill: Fill;
  values: number[];
}

/** Where the bars are within their host, in CSS pixels. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** What to draw. */
export interface Drawing {
  /** CSS pixels. */
  width: number;
  ticks: string[];
  parts: Part[];
  number: (n: number) => string;
  /** Whether a few bars have labels with their values; for bars of one part each. */
  values: boolean;
  /** Called each time the bars are laid out. */
  placed: (box: Box) => void;
}

// Whole calls alone, in round steps.
const STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((tens) => [1, 2, 5].map((n) => n * 10 ** tens));
// Of each step, how much is bar; and how wide a bar is at most, in pixels.
const BAR = 0.72;
const WIDEST = 44;
// More labels would overlap.
const MOST_VALUES = 12;

/** For each part, from the bottom up, where it ends in each bar; `null` where it has nothing. */
export function stacked(parts: Pick<Part, "values">[]): (number | null)[][] {
  const sums: number[] = [];
  return parts.map(({ values }) =>
    values.map((value, step) => {
      sums[step] = (sums[step] ?? 0) + value;
      return value === 0 ? null : sums[step];
    }),
  );
}

/** The interval of labelled steps, so that the labels fit into `width` pixels. */
export function named(steps: number, width: number, widest: number): number[] {
  const room = Math.max(1, Math.floor(width / widest));
  const every =
    [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 30, 60, 90].find((n) => steps / n <= room) ?? 180;
  return Array.from({ length: Math.ceil(steps / every) }, (_, n) => n * every);
}

/** The value of a token in the current theme. */
function colour(host: HTMLElement, token: string): string {
  host.style.color = `var(${token})`;
  const { color } = getComputedStyle(host);
  host.style.color = "";
  return color;
}

/** How many pixels the widest of these texts takes. */
function widestOf(texts: string[], font: string): number {
  const pen = document.createElement("canvas").getContext("2d");
  if (pen === null) return 0;
  pen.font = font;
  return Math.max(0, ...texts.map((text) => pen.measureText(text).width));
}

/** Writes the value above each bar. */
function writeValues(
  { ctx, valToPos }: uPlot,
  ends: (number | null)[][],
  number: (n: number) => string,
  ink: string,
  ground: string,
  font: string,
) {
  ctx.save();
  ctx.font = font.replace(/^[\d.]+/, (size) => String(Number(size) * devicePixelRatio));
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  ctx.fillStyle = ink;
  // A line of the grid must not run through a number.
  ctx.strokeStyle = ground;
  ctx.lineWidth = 5 * devicePixelRatio;
  ends[0]?.forEach((_, step) => {
    const top = Math.max(0, ...ends.map((of) => of[step] ?? 0));
    if (top === 0) return;
    const [left, bottom] = [valToPos(step, "x", true), valToPos(top, "y", true)];
    const above = bottom - 4 * devicePixelRatio;
    ctx.strokeText(number(top), left, above);
    ctx.fillText(number(top), left, above);
  });
  ctx.restore();
}

/** Draws a chart into its host. Colours are read again on each redraw. */
export function drawChart(host: HTMLElement, drawing: Drawing): uPlot {
  const { width, ticks, parts, number, placed } = drawing;
  const values = drawing.values && ticks.length <= MOST_VALUES;
  const style = getComputedStyle(host);
  const font = `${style.fontSize} ${style.fontFamily}`;
  const ink = () => colour(host, "--ink3");
  const line = () => colour(host, "--line");
  const widest = widestOf(ticks, font) + (values ? 8 : 20);
  const ends = stacked(parts);
  const most = Math.max(0, ...ends.flat().map((end) => end ?? 0));
  const bars = uPlot.paths.bars?.({
    size: [BAR, WIDEST],
    gap: 0,
    ...(drawing.values && { radius: [0.15, 0] }),
  });

  return new uPlot(
    {
      width,
      height: host.clientHeight || 260,
      padding: [12, 8, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: [-0.5, ticks.length - 0.5] },
        // Never less than four, so that one call does not fill the chart.
        y: { range: [0, Math.max(4, most * (values ? 1.16 : 1.04))] },
      },
      axes: [
        {
          stroke: ink,
          font,
          size: 32,
          gap: 8,
          grid: { show: false },
          ticks: { show: false },
          splits: (u) => named(ticks.length, u.bbox.width / devicePixelRatio || width, widest),
          values: (_, splits) => splits.map((step) => ticks[step] ?? ""),
        },
        {
          stroke: ink,
          font,
          size: 24 + number(Math.ceil(most)).length * 7,
          gap: 8,
          incrs: STEPS,
          grid: { stroke: line, width: 1 },
          ticks: { show: false },
          values: (_, splits) => splits.map(number),
        },
      ],
      // The whole bar first, what is below is drawn over it.
      series: [
        {},
        ...parts
          .map((part) => ({
            fill: (u: uPlot) =>
              fillStyle(u.ctx, part.fill, colour(host, part.token), colour(host, "--card")),
            stroke: () => colour(host, part.token),
            // A full one, too: bars without an edge stand half a pixel beside those with one.
            width: 1,
            points: { show: false },
            ...(bars === undefined ? {} : { paths: bars }),
          }))
          .reverse(),
      ],
      hooks: {
        draw: [
          (u) => {
            if (values)
              writeValues(u, ends, number, colour(host, "--ink"), colour(host, "--card"), font);
          },
          ({ bbox }) =>
            placed({
              left: bbox.left / devicePixelRatio,
              top: bbox.top / devicePixelRatio,
              width: bbox.width / devicePixelRatio,
              height: bbox.height / devicePixelRatio,
            }),
        ],
      },
    },
    [ticks.map((_, step) => step), ...ends.reverse()],
    host,
  );
}
