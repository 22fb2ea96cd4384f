// The backend process, over Tauri: the only module that imports Tauri.
// Commands have the same names as in Rust.

import { convertFileSrc, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { type Native, Trouble } from "./api/interface";
import type { Message } from "./api/types";

async function command<T>(name: string, parameters?: Record<string, unknown>): Promise<T> {
  try {
    return await invoke<T>(name, parameters);
  } catch (cause) {
    // Commands fail with a message; anything else is an error of Tauri itself.
    const isMessage = typeof cause === "object" && cause !== null && "code" in cause;
    throw new Trouble(isMessage ? (cause as Message) : String(cause), { cause });
  }
}

/** The backend process of this window. */
export const native: Native = {
  home: {
    read: () => command("home"),
    requestedPlace: () => command("requested_page"),
    share: (share) => command("share", { share }),
    pause: (wanted) => command("pause", { wanted }),
    resume: () => command("resume"),
    fixStatus: (status) => command("fix_status", { status }),
    copyAddress: () => command("copy_address"),
    installTunnelProgram: () => command("install_tunnel_program"),
    copyInstallLine: () => command("copy_install_line"),
    tryNow: () => command("try_now"),
    pauseWatching: (paused) => command("pause_watching", { paused }),
    blogLines: (form, whole) => command("blog_lines", { form, whole }),
    copyBlogLines: (form, whole) => command("copy_blog_lines", { form, whole }),
  },
  uploads: {
    read: () => command("uploads"),
    choosePictures: () => command("choose_pictures"),
    chooseFolder: () => command("choose_folder_of_pictures"),
    paste: () => command("paste_pictures"),
    copyLink: (id) => command("copy_upload_link", { id }),
    retry: (id) => command("retry_upload", { id }),
    cancel: (id) => command("cancel_upload", { id }),
    clear: () => command("clear_uploads"),
    setAside: () => command("set_aside_files"),
    retrySetAside: (id) => command("retry_set_aside", { id }),
    dismissSetAside: (id) => command("dismiss_set_aside", { id }),
  },
  images: {
    page: (search, offset, limit) => command("images", { search, offset, limit }),
    hashes: (search, offset, limit) => command("image_hashes", { search, offset, limit }),
    days: (search) => command("image_days", { search }),
    copyLinks: (hashes, form) => command("copy_links", { hashes, form }),
    name: (hash, name) => command("name_image", { hash, name }),
    remove: (hashes) => command("remove_images", { hashes }),
    keep: (id) => command("keep_images", { id }),
    removals: () => command("removals"),
    // The scheme is `picture://localhost/` or, on Windows, `http://picture.localhost/`.
    url: (hash, width) => `${convertFileSrc(hash, "picture")}?w=${width}`,
  },
  presence: {
    read: () => command("presence"),
    history: (from, to) => command("presence_history", { from, to }),
    tryRules: (rules) => command("try_rules", { rules }),
    programOf: (application) => command("program_of", { application }),
    setRules: (rules) => command("set_rules", { rules }),
  },
  game: {
    read: () => command("game"),
    cover: (number) => convertFileSrc(`game-${number}`, "picture"),
    test: () => command("test_game"),
  },
  statistics: {
    read: (edges) => command("statistics", { edges }),
    saveCsv: (from, to, table) => command("save_statistics", { from, to, table }),
  },
  reach: {
    read: () => command("reach"),
    probe: () => command("probe_edge"),
    testStore: () => command("test_store"),
    writeFiles: () => command("write_edge_files"),
    copy: (which) => command("copy_for_edge", { which }),
  },
  settings: {
    read: () => command("settings"),
    check: (changes) => command("check_settings", { changes }),
    update: (changes) => command("update_settings", { changes }),
    chooseFolder: () => command("choose_folder"),
    chooseFile: () => command("choose_file"),
    startAtLogin: (on) => command("start_at_login", { on }),
    menuEntry: (on) => command("menu_entry", { on }),
    tokens: () => command("tokens"),
    newToken: (name, scope) => command("new_token", { name, scope }),
    revokeToken: (id) => command("revoke_token", { id }),
    setUpEditor: (editor) => command("set_up_editor", { editor }),
    copyEditorAddress: () => command("copy_editor_address"),
    log: (lines) => command("log_lines", { lines }),
    copyLogLine: (line) => command("copy_log_line", { line }),
    copyDiagnostics: () => command("copy_diagnostics"),
    maintenance: () => command("maintenance"),
    backup: (withSecrets) => command("back_up", { withSecrets }),
    restore: () => command("restore_backup"),
    importImages: (from) => command("import_images", { from }),
    cancelWork: () => command("cancel_work"),
    checkImages: (repair) => command("check_images", { repair }),
    takeOverSnapshot: () => command("take_over_snapshot"),
    moveImages: (to) => command("move_images", { to }),
    restart: () => command("restart"),
    appearance: () => command("appearance"),
    openFolder: (which) => command("open_folder", { which }),
    checkForUpdates: () => command("check_for_updates"),
  },
  on: (topic, listener) => listen(topic, ({ payload }) => listener(payload as never)),
};
