// What the parts of a chart are filled with: a colour and a pattern, so that
// they differ without colour, too. `Patch.svelte` draws the same.

/** All patterns. */
export type Fill = "full" | "stripes" | "dots" | "cross" | "lines";

const TILE = 6;

/** The fill of a part on this canvas: `colour` on `ground`. */
export function fillStyle(
  context: CanvasRenderingContext2D,
  fill: Fill,
  colour: string,
  ground: string,
): string | CanvasPattern {
  if (fill === "full") return colour;
  const scale = devicePixelRatio;
  const tile = document.createElement("canvas");
  tile.width = TILE * scale;
  tile.height = TILE * scale;
  const pen = tile.getContext("2d");
  if (pen === null) return colour;
  pen.scale(scale, scale);
  pen.fillStyle = ground;
  pen.fillRect(0, 0, TILE, TILE);
  pen.strokeStyle = colour;
  pen.fillStyle = colour;
  pen.lineWidth = 2;
  pen.beginPath();
  if (fill === "dots") {
    pen.arc(TILE / 2, TILE / 2, 1.7, 0, Math.PI * 2);
    pen.fill();
  } else if (fill === "lines") {
    pen.fillRect(0, 0, TILE, 2);
  } else {
    // A slanting line, and its neighbours in the corners.
    for (const shift of [-TILE, 0, TILE]) {
      pen.moveTo(shift - 1, TILE + 1);
      pen.lineTo(shift + TILE + 1, -1);
      if (fill === "cross") {
        pen.moveTo(shift - 1, -1);
        pen.lineTo(shift + TILE + 1, TILE + 1);
      }
    }
    pen.stroke();
  }
  return context.createPattern(tile, "repeat") ?? colour;
}
