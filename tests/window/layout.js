// What is cut off, overlaps or leaves its container on the page that is open: one text for each fault.

const EDGE = 1.5;
const style = (one) => getComputedStyle(one);
const clips = (one) => style(one).overflowX !== "visible" || style(one).overflowY !== "visible";
const floats = (one) => ["fixed", "sticky"].includes(style(one).position);
const isSeen = (one) =>
  one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
  one.closest(".visually-hidden") === null;

/** The element and those that it is in, up to the page. */
function* around(one) {
  for (let up = one; up !== null && up.tagName !== "MAIN"; up = up.parentElement) yield up;
}

/** A rectangle as far as the elements around it let it be seen; `null` where they hide it. */
function visible({ left, top, right, bottom }, within) {
  const box = { left, top, right, bottom };
  for (const up of around(within)) {
    if (!clips(up)) continue;
    const edge = up.getBoundingClientRect();
    box.left = Math.max(box.left, edge.left);
    box.top = Math.max(box.top, edge.top);
    box.right = Math.min(box.right, edge.right);
    box.bottom = Math.min(box.bottom, edge.bottom);
  }
  return box.right - box.left > EDGE && box.bottom - box.top > EDGE ? box : null;
}

const name = (one) => {
  const text = (one.ariaLabel ?? one.innerText ?? "").replace(/\s+/g, " ").slice(0, 40);
  return `${one.tagName.toLowerCase()}.${one.className?.baseVal ?? one.className} “${text}”`;
};

const isPictureOf = (picture, one) =>
  picture.matches("img") && picture.parentElement.contains(one);

const all = [...document.querySelectorAll("body *")].filter(isSeen);
const found = [];

const main = document.querySelector("main");
if (main.scrollWidth > main.clientWidth) found.push("the place scrolls sideways");
if (document.documentElement.scrollHeight > innerHeight) found.push("the window scrolls");
if (document.documentElement.scrollWidth > innerWidth) found.push("the window scrolls sideways");

// Other parts may shorten their text.
for (const one of all) {
  if (!one.matches("button, h1, th, legend, .chip") || style(one).textOverflow === "ellipsis") continue;
  if (one.scrollWidth > one.clientWidth + 1) found.push(`${name(one)} is cut off`);
}

for (const one of all) {
  const parent = one.parentElement;
  const { position, marginLeft, marginTop, marginRight, marginBottom } = style(one);
  // A negative margin says that it is meant to leave it.
  const isMeant = [marginLeft, marginTop, marginRight, marginBottom].some((it) => it.startsWith("-"));
  const isInFlow = ["static", "relative"].includes(position) && !isMeant;
  const isBox = ![style(one).display, style(parent).display].some((it) => /^(inline|contents)$/.test(it));
  if (!isInFlow || !isBox || clips(parent) || parent === document.body) continue;
  if (one.closest("svg")?.contains(parent)) continue;
  const [inner, outer] = [one, parent].map((it) => it.getBoundingClientRect());
  const leaves =
    inner.width > 0 && inner.height > 0 &&
    (inner.left < outer.left - EDGE || inner.top < outer.top - EDGE ||
      inner.right > outer.right + EDGE || inner.bottom > outer.bottom + EDGE);
  if (leaves) found.push(`${name(one)} leaves ${name(parent)}`);
}

// What is read or pressed: each text, picture and control. A chart has its texts in front of it.
const parts = [];
for (const one of all) {
  if ([...around(one)].some(floats)) continue;
  if (one.matches("img, input, select, textarea, button, summary")) {
    const box = visible(one.getBoundingClientRect(), one);
    if (box !== null) parts.push({ one, box });
  }
  for (const node of one.childNodes) {
    if (node.nodeType !== Node.TEXT_NODE || node.nodeValue.trim() === "") continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      const box = visible(line, one);
      if (box !== null) parts.push({ one, box });
    }
  }
}
parts.sort((one, other) => one.box.top - other.box.top);
for (const [nth, { one, box }] of parts.entries()) {
  for (let next = nth + 1; next < parts.length; next++) {
    const other = parts[next];
    if (other.box.top > box.bottom - EDGE) break;
    if (other.box.left > box.right - EDGE || other.box.right < box.left + EDGE) continue;
    if (one.contains(other.one) || other.one.contains(one)) continue;
    // What describes a picture lies on it.
    if (isPictureOf(one, other.one) || isPictureOf(other.one, one)) continue;
    found.push(`${name(one)} overlaps ${name(other.one)}`);
  }
}
return found;
