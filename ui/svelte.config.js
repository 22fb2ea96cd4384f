/** @type {import("@sveltejs/vite-plugin-svelte").SvelteConfig} */
export default {
  // Components are runes only; styles leave for a file of their own, which the
  // content policy of the window asks for.
  compilerOptions: { runes: true, css: "external" },
};
