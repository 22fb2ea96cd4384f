// The action of a tile's button.

import { getNative } from "../api/context";
import { getNavigation } from "../shell/navigation.svelte";
import { getNotices } from "../shell/notices.svelte";
import { getLocale } from "../words/locale";
import type { TileAction } from "./tiles";

/** The actions; must be called during component initialisation. */
export function getTileActions(): (action: TileAction) => Promise<unknown> | undefined {
  const native = getNative();
  const navigation = getNavigation();
  const notices = getNotices();
  const { home } = getLocale().words;
  return (action) => {
    if (action === "try_now") return notices.run(() => native.tryNow());
    if (action === "resume_watching") return notices.run(() => native.pauseWatching(false));
    if (action === "copy_install_line")
      return notices.run(() => native.copyInstallLine(), home.tiles.tunnel.installCopied);
    navigation.to(action.to, action.section);
    return undefined;
  };
}
