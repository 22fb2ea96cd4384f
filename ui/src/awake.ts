// What is done again and again, for as long as the window can be seen.

/** Does this every so many milliseconds, and when a hidden window is shown again; returns what ends that. */
export function every(ms: number, run: () => void): () => void {
  let ticking: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    clearInterval(ticking);
    if (!document.hidden) ticking = setInterval(run, ms);
  };
  const seen = () => {
    tick();
    if (!document.hidden) run();
  };
  tick();
  document.addEventListener("visibilitychange", seen);
  return () => {
    clearInterval(ticking);
    document.removeEventListener("visibilitychange", seen);
  };
}
