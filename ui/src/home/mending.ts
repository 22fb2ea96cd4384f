// The action of a tile's button.

import { getNative } from "../api/context";
import { getNavigation } from "../shell/navigation.svelte";
import { getNotices } from "../shell/notices.svelte";
import { getLocale } from "../words/locale";
import type { Mend } from "./tiles";

/** The actions; must be called during component initialisation. */
export function getMending(): (mend: Mend) => void {
  const native = getNative();
  const navigation = getNavigation();
  const notices = getNotices();
  const { install, home } = getLocale().words;
  return (mend) => {
    if (mend === "try_now") void notices.run(() => native.home.tryNow());
    else if (mend === "resume_watching") void notices.run(() => native.home.pauseWatching(false));
    else if (mend === "copy_install_line")
      void notices.run(() => native.home.copyInstallLine(), home.tiles.tunnel.installCopied);
    else if (mend === "install") {
      notices.done(install.busy);
      void notices.run(() => native.home.installTunnelProgram(), install.done);
    } else navigation.to(mend.to, mend.section);
  };
}
