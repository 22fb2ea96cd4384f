// What is done again and again only while somebody can see it.

/** Does it every `every` milliseconds, and at once when the window is seen again; returns what ends that. */
export function whileSeen(every: number, action: () => void): () => void {
  const look = () => {
    if (!document.hidden) action();
  };
  const again = setInterval(look, every);
  document.addEventListener("visibilitychange", look);
  return () => {
    clearInterval(again);
    document.removeEventListener("visibilitychange", look);
  };
}
