// A QR code as a path.

import { encode } from "uqr";

// The quiet zone that the standard asks for, in modules.
const QUIET = 4;

/** The side of the code with its quiet zone, in modules, and the path of its dark ones. */
export function drawn(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { border: QUIET, ecc: "M" });
  let path = "";
  data.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (dark) path += `M${x} ${y}h1v1h-1z`;
    });
  });
  return { size, path };
}
