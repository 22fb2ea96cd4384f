// The action of a tile's button.

import { getNative } from "../api/context";
import { getNavigation } from "../shell/navigation.svelte";
import { getNotices } from "../shell/notices.svelte";
import { getLocale } from "../words/locale";
import type { Mend } from "./tiles";

/** The actions; must be called during component initialisation. */
export function getMending(): (mend: Mend) => Promise<unknown> | undefined {
  const native = getNative();
  const navigation = getNavigation();
  const notices = getNotices();
  const { install, home } = getLocale().words;
  return (mend) => {
    if (mend === "try_now") return notices.run(() => native.home.tryNow());
    if (mend === "resume_watching") return notices.run(() => native.home.pauseWatching(false));
    if (mend === "copy_install_line")
      return notices.run(() => native.home.copyInstallLine(), home.tiles.tunnel.installCopied);
    if (mend === "install")
      return notices.run(() => native.home.installTunnelProgram(), install.done);
    navigation.to(mend.to, mend.section);
    return undefined;
  };
}
