// The words of the window around its places.

/** The words, with numbers written as `locale` writes them. */
export function shell(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const number = (n: number) => numbers.format(n);

  return {
    places: "Places",
    standing: "In short",
    bulb: { lit: "The light is on", unlit: "The light is not on" },
    service: {
      on: (port: number) => `Service on ${port}`,
      off: "Service not listening",
      unknown: "Service not answering",
    },
    tunnel: {
      off: "No tunnel",
      starting: "Tunnel starting",
      checking: "Tunnel being checked",
      up: "Tunnel up",
      upIn: (ms: number) => `Tunnel up, ${number(ms)} ms`,
      waiting: "Tunnel down",
      missing: "Tunnel not installed",
      stopped: "Tunnel cannot begin",
    },
    needs: (n: number) =>
      plurals.select(n) === "one" ? `${number(n)} thing needs you` : `${number(n)} things need you`,
    need: {
      service: "The service is not listening",
      heartbeats: "Heartbeats are not taken",
      tunnel_missing: (program: string) => `${program} is not installed`,
      tunnel_stopped: "The tunnel cannot begin",
      tunnel_down: "The tunnel is down",
      folder_missing: (folder: string) => `A watched folder is gone: ${folder}`,
      outbox: "Watched folders cannot upload",
      editors: "The server for editors is not listening",
      failed_uploads: (n: number) => `Failed uploads: ${number(n)}`,
      set_aside: (n: number) => `Files set aside: ${number(n)}`,
      settings_file: "The settings file was edited and is not right",
      restart: "Changed settings wait for a restart",
    },
    underWay: (n: number) =>
      plurals.select(n) === "one"
        ? `${number(n)} file on its way`
        : `${number(n)} files on their way`,
    deaf: (why: string) => `Changes will not show by themselves: ${why}`,
    wrong: (why: string) => `Something went wrong in this window: ${why}`,
    notDrawn: "This window could not be drawn. The light and the service go on without it.",
    dropNow: "Let go to add them",
    shortcuts: {
      title: "Shortcuts",
      goTo: (place: string) => `Go to ${place}`,
      add: "Add pictures",
      paste: "Paste a picture",
      help: "This list",
      close: "Close what is open",
      everywhere: "Everywhere",
      search: "Search, in the settings too",
      select: "Select it, or no longer",
      more: "Select more",
      all: "Select all",
      open: "Show it large",
      remove: "Delete",
      undo: "Undo a deletion",
      move: "Move a rule",
      space: "Space",
      or: "or",
      escape: "Esc",
    },
  };
}
