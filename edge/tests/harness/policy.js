// Runs in a page of the test whose policy is strict: sends what the element shows, or what was refused.

const refused = [];
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
  refused.push(`${effectiveDirective} ${blockedURI}`),
);

addEventListener("DOMContentLoaded", async () => {
  const element = document.querySelector("porch-light");
  const part = (name) => element.shadowRoot.querySelector(`[part="${name}"]`);
  const isDrawn = () =>
    element.shadowRoot !== null && part("devices").querySelector("svg") !== null;
  while (!isDrawn() && refused.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));

  const shown = () => {
    const [light, name, icon] = [part("light"), part("name"), part("devices").querySelector("svg")];
    return {
      text: `${name.textContent} ${part("text").textContent}`,
      light: getComputedStyle(light).backgroundColor,
      isRound: getComputedStyle(light).borderRadius === "50%",
      isBold: getComputedStyle(name).fontWeight === "700",
      isOutline: getComputedStyle(icon).fill === "none",
    };
  };
  const body = JSON.stringify({
    page: location.pathname,
    refused: refused[0] ?? null,
    shown: isDrawn() ? shown() : null,
  });
  await fetch("/report", { method: "POST", body });
});
