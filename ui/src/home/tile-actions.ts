// The action of a tile's button.

import { getWindow } from "../context";
import type { TileAction } from "./tiles";

/** The actions; must be called during component initialisation. */
export function getTileActions(): (action: TileAction) => Promise<unknown> | undefined {
  const { native, navigation, notices } = getWindow();
  const { home } = getWindow().locale.words;
  return (action) => {
    if (action === "try_now") return notices.run(() => native.tryNow());
    if (action === "resume_watching") return notices.run(() => native.pauseWatching(false));
    if (action === "copy_install_line")
      return notices.run(() => native.copyInstallLine(), home.tiles.tunnel.installCopied);
    navigation.to(action.to, action.section);
    return undefined;
  };
}
