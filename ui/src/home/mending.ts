// What is done about a tile when its button is pressed.

import { getNative } from "../api/context";
import { getGoing } from "../shell/going.svelte";
import { getNotices } from "../shell/notices.svelte";
import { getTongue } from "../words/tongue";
import type { Mend } from "./tiles";

/** What mends; for use while a component is made. */
export function getMending(): (mend: Mend) => void {
  const native = getNative();
  const going = getGoing();
  const notices = getNotices();
  const words = getTongue().words.home.tiles;
  return (mend) => {
    if (mend === "try_now") void notices.run(() => native.home.tryNow());
    else if (mend === "resume_watching") void notices.run(() => native.home.pauseWatching(false));
    else if (mend === "copy_install_line")
      void notices.run(() => native.home.copyInstallLine(), words.tunnel.installCopied);
    else going.to(mend.to, mend.section);
  };
}
