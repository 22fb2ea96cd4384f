// An interval that runs only while the window is visible.

/** Runs this every `ms` milliseconds, and when a hidden window is shown again; returns a function that stops it. */
export function visibleInterval(ms: number, run: () => void): () => void {
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
