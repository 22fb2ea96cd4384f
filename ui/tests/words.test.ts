import { screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { NOW, type SceneName, scenes } from "../src/testing/scenes/home";
import { scenes as welcome } from "../src/testing/scenes/welcome";
import { createLocale } from "../src/words/locale";
import { button, goOn, open, text } from "./window";

// Names, addresses, keys and units stay as they are.
const kept =
  /localhost\.run|Tailscale|Funnel|ts\.net|Porchlight|WebP|https?:\S+|\w[\w-]*\.(jpg|png|md|example\.org)|\/[\w/{}]*|\b[kM]?B\b|Zed|tea|Steam|Spotify|Firefox|Ctrl|Shift|Alt|Enter|Delete|Esc|Cloudflare|cloudflared|SSH|ssh|Hades II|Visual Studio Code|Worker|URL|CDN|ID|Web|API|GB|workers\.dev|\bimages\.quality\b|\bsettings\.toml\b/g;
// Literal input, text written by the owner, and details of the backend.
const userText =
  /Porchlight’s database failed: [\w ,]+|HTML|Hexo|Hugo|VitePress|VuePress|Astro|WordPress|Typecho|Halo|brew install cloudflared|picgo\.port|PicGo|Out for a walk|Back for tea|Lunch|user@|tailscale funnel \{port\}|\{port\}/g;

function english(): string[] {
  const named = ["aria-label", "alt", "title", "placeholder"].flatMap((attribute) =>
    [...document.querySelectorAll(`[${attribute}]`)].map((one) => one.getAttribute(attribute)),
  );
  const snippet = document.querySelector("textarea[readonly]")?.textContent ?? "";
  const all = [text().replace(snippet, ""), ...named].join(" ");
  return (
    all
      .replace(userText, "")
      .replace(kept, "")
      .match(/[A-Za-z]{2,}/g) ?? []
  );
}

describe("the language", () => {
  test("is Chinese if the system asks for it, and English otherwise", () => {
    expect(createLocale("zh-CN").words.home.resume).toBe("继续");
    expect(createLocale("zh-Hans-SG").words.home.resume).toBe("继续");
    expect(createLocale("en-GB").words.home.resume).toBe("Resume");
    expect(createLocale("de-DE").words.home.resume).toBe("Resume");
  });

  test.for(Object.keys(scenes) as SceneName[])(
    "has no English words in Chinese in %s",
    async (scene) => {
      await open(scene, "zh-CN");
      expect(english()).toEqual([]);
    },
  );

  test("has no English words in Chinese dialogs and menus", async () => {
    const { user } = await open("fixed", "zh-CN");
    for (const name of ["修改状态…", "显示二维码", "更多"]) {
      await user.click(button(name));
      expect(english()).toEqual([]);
      await user.keyboard("{Escape}");
      const close = screen.queryByRole("button", { name: "关闭" });
      if (close !== null) await user.click(close);
    }
    await user.keyboard("?");
    expect(screen.getByRole("dialog", { name: "快捷键" })).toBeTruthy();
    expect(english()).toEqual([]);
  });

  test.for(Object.keys(welcome) as (keyof typeof welcome)[])(
    "has no English words in the Chinese welcome, %s",
    async (scene) => {
      const { user } = await open(welcome[scene], "zh-CN");
      const skip = /^(暂不分享|跳过这一步|下一步)$/;
      for (let step = 0; step < 3; step++) {
        expect(english()).toEqual([]);
        await goOn(user, skip);
      }
      expect(english()).toEqual([]);
    },
  );
});

describe("numbers and times", () => {
  const english = createLocale("en");
  const chinese = createLocale("zh-CN");

  test("are formatted for the language", () => {
    expect(english.words.home.calls.hour("9", 1)).toBe("9: 1 request");
    expect(english.words.home.calls.hour("9", 1_284)).toBe("9: 1,284 requests");
    expect(english.words.shell.alerts(1)).toBe("1 action needed");
    expect(chinese.words.home.calls.hour("9", 1)).toBe("9：1 次请求");
  });

  test("have singular and plural forms", () => {
    const { images, settings } = english.words;
    expect(images.aside.sentence(1)).toMatch(/^It stays in/);
    expect(images.aside.sentence(2)).toMatch(/^They stay in/);
    expect(images.removal.done(1)).toBe("1 picture deleted.");
    expect(images.removal.done(2)).toBe("2 pictures deleted.");
    expect(settings.work.checked(1)).toBe("1 picture OK.");
    expect(settings.work.checked(1_200)).toBe("1,200 pictures OK.");
  });

  // Whatever is counted: nothing says "1 pictures".
  test("never use a plural for one", () => {
    const wrong: string[] = [];
    const look = (words: unknown, place: string) => {
      if (typeof words === "object" && words !== null)
        for (const [name, part] of Object.entries(words)) look(part, `${place}.${name}`);
      if (typeof words !== "function") return;
      for (const first of [1, "one"]) {
        let text: unknown;
        try {
          text = words(first, 1, 1, 1);
        } catch {
          continue;
        }
        const many = /(?<![\d,.:–])1 (more |further )?(\w+s)\b/.exec(String(text))?.[2];
        if (many !== undefined && !["ms", "is", "was", "address"].includes(many))
          wrong.push(`${place}: ${text}`);
      }
    };
    look(english.words, "words");
    expect(wrong).toEqual([]);
  });

  test("use the fitting unit for sizes", () => {
    const sizes = [0, 999, 90_400, 999_499, 999_500, 12_400_000, 88_000_000, 2_000_000_000];
    expect(sizes.map((size) => english.bytes(size))).toEqual([
      "0 bytes",
      "999 bytes",
      "90 kB",
      "999 kB",
      "1 MB",
      "12.4 MB",
      "88 MB",
      "2 GB",
    ]);
  });

  test("are shown as relative times", () => {
    const ages = [12_000, 95_000, 7_200_000, 90_000_000];
    expect(ages.map((age) => english.ago(NOW - age, NOW))).toEqual([
      "12 seconds ago",
      "1 minute ago",
      "2 hours ago",
      "yesterday",
    ]);
    expect(english.ago(NOW + 5_000, NOW)).toBe("now");
  });
});
