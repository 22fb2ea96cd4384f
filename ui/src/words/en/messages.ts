// What the process says, in English.

import type { Code } from "../message";
import { taskMessages } from "./task-messages";

export const messages: Record<Code, string> = {
  ...taskMessages,
  // What the system and other programs say.
  text: "{text}",
  about: "{what}: {why}",
  both: "{one}; {other}",
  no_permission: "no permission",
  not_found: "no such file or folder",
  connection_refused: "the connection was refused",
  connection_reset: "the connection was broken off",
  no_network: "there is no network",
  address_in_use: "the port is in use",
  read_only: "nothing can be written there",
  disk_full: "there is no room left",
  is_a_directory: "it is a folder",
  not_a_directory: "it is no folder",
  locked: "another program is using it, so close that one and try again",
  timed_out: "it took too long",
  exit_status: "exit status {status}",
  // Values of settings.
  unknown_variant: "{given} is none of {known}",
  unknown_field: "unknown field {given}, expected one of {known}",
  missing_field: "{field} is missing",
  invalid_type: "{given} was given where {expected} belongs",
  invalid_value: "{given} was given where {expected} belongs",
  out_of_bounds: "{value} is out of bounds: from {min} to {max}",
  no_web_address: "{given} is no web address: it should look like https://light.example.blog",
  address_with_extras:
    "a user name, a query or a fragment ('@', '?' or '#') cannot be in it: it should look like https://light.example.blog",
  no_network_address:
    "{given} is not an address or network: it should look like 192.168.1.2 or 172.16.0.0/12",
  no_full_path: "{path} is no full path: write it from the root on",
  empty_pattern: "a pattern cannot be empty",
  no_expression: "{given} is no regular expression: {why}",
  no_group: "{given} needs a group, in parentheses, around the address",
  no_command: "a command is a list of words, the program first",
  no_steam_id: "a SteamID is a number of 17 digits",
  no_country: "a country is two letters, such as CN",
  no_store_language: "a language is one of the store's names, such as schinese",
  too_many_characters: "at most {most} characters",
  control_characters: "control characters cannot be in it",
  empty_rule: "a rule needs a program or a title",
  no_colour:
    "a colour is written as r,g,b,a: three whole numbers from 0 to 255 and an alpha from 0 to 1",
  no_template:
    "a template is `url`, `markdown`, `html` or `bbcode`, or a text of your own with {url} where the address goes",
  no_shortcut:
    "a shortcut is Ctrl, Alt, Shift or Super, and a letter, a digit, F1 to F24, Print, Insert, Pause, Home, End, PageUp or PageDown, such as Ctrl+Alt+U",
  bare_shortcut:
    "a letter, a digit or another typing key needs Ctrl, Alt or Super with it: alone, you could no longer type it",
  unknown_key: "there is no setting `{key}`",
  unknown_key_like: "there is no setting `{key}`; did you mean `{meant}`?",
  unknown_section: "there is no group of settings `[{section}]`",
  unknown_section_like: "there is no group of settings `[{section}]`; did you mean `{meant}`?",
  is_a_section: "{name} is a section: write `[{name}]`",
  must_be_text: "it must be a text",
  must_be_texts: "it must be a list of texts in quotes",
  // The settings file, and what keys ask of each other.
  no_settings_section: "`{name}` in the settings file is no section",
  settings_unreadable: "the settings file {file} cannot be read: {why}",
  settings_unwritable: "the settings file {file} cannot be written: {why}",
  settings_not_toml: "the settings file is not valid TOML: {why}",
  settings_gone: "the settings file {file} is gone",
  in_file: "{file}, line {line}",
  saved_but: "the settings are saved, but {why}",
  declined: "nothing was changed, because you cancelled",
  rules_overruled:
    "the rules are in the settings file, but others count: `presence.rules` was given by the environment or on the command line",
  status_empty: "a status needs some words",
  overrides_unwritten: "{file} cannot be written ({why}): what you changed holds until a restart",
  status_too_long: "a status has at most 200 characters, its line 2,000, and no line breaks",
  delivery_contradicts:
    '`images.delivery` is "{delivery}", which contradicts `behaviour` = "{behaviour}": remove one of the two',
  fields_contradict:
    '`heartbeat.fields` is {fields}, which contradicts `behaviour` = "{behaviour}": remove one of the two',
  needs_object_store:
    "`{key}` = “{value}” needs an object store, but pictures go to the disk: choose the object store under Storage first, and say where it is",
  object_store_needs: "an object store needs {keys}",
  publish_needs_store:
    "a snapshot needs an object store, but pictures go to the disk: choose the object store under Storage first, and say where it is",
  publish_needs_storage_url:
    "a snapshot needs `storage.storage_url`, the public address of the store",
  update_in_the_clear: '`update.url` = "{url}" is not encrypted: use an https:// address',
  no_update_key: "This is not a minisign public key. It is the second line of minisign.pub.",
  edge_secret_short:
    "the key of the Worker has fewer than {least} characters: remove it, and `porchlight edge init` makes one",
  needs_storage_url:
    '`{key}` = "{value}" needs `storage.storage_url`, the public address of the store',
  listen_needs_proxy:
    "other computers can reach {address}. That is refused unless `server.client_ip` names the header of your own proxy: X-Forwarded-For or CF-Connecting-IP",
  token_in_the_clear:
    "others could read the token on its way to {url}: use the https:// address of that service",
  target_needs_token: "`presence.target_url` needs `presence.token`, a token of that service",
  hostname_alone: "`tunnel.hostname` is a name alone, such as light.example.org",
  named_tunnel_needs_port:
    "a named tunnel needs `tunnel.port`, the port that it leads to by your settings at Cloudflare",
  tunnel_token_needs_hostname:
    "`tunnel.cloudflared_token` needs `tunnel.hostname`, the name that you gave the tunnel",
  hostname_needs_tunnel_token:
    "`tunnel.hostname` needs `tunnel.cloudflared_token`; without both you get a quick tunnel",
  tunnel_needs_ssh_host: "it needs `tunnel.ssh_host`, too",
  no_ssh_host: "`tunnel.ssh_host` is a host, or user@host",
  ssh_needs_public_url:
    "a tunnel by SSH needs `tunnel.public_url`, the address that readers of that host use",
  ssh_needs_port:
    "a tunnel by SSH needs `tunnel.ssh_port`, the port on that host which `tunnel.public_url` leads to",
  tunnel_needs_command: "it needs `tunnel.command`, too",
  command_needs_pattern:
    "`tunnel.command` needs `tunnel.pattern`, which finds the public address in what it prints, or `tunnel.public_url`",
  // Why heartbeats and pictures do not arrive.
  service_slow: "the service at {address} is slow to answer",
  service_silent: "the service at {address} does not answer ({why}). Porchlight will try again",
  token_refused:
    "the access token was not accepted: restart Porchlight. If you send your status to a different server, enter its token again in Settings, Presence",
  not_our_service:
    "something else answers ({status}) at this address. Porchlight will try again; check the address, and whether the network requires a login first",
  asked_to_wait: "the service received too many requests at once. Porchlight will try again",
  token_characters: "the token holds characters that no token has. Copy it and set it again",
  https_only: "The service only accepts https://. Change the address in Settings, Presence.",
  image_too_large:
    "This picture is too large for the service. Make it smaller, or raise the limit in Settings, Quality.",
  too_large: "This is too large for the service.",
  unsupported_format:
    "Porchlight can’t read this file as a picture. It reads JPEG, PNG, GIF, WebP, AVIF, JPEG XL, BMP, TIFF, ICO and QOI.",
  damaged_picture: "This picture is damaged. Save it again, or remove it from the list.",
  service_full: "The storage is full. Free up some space; Porchlight will try again.",
  sending_timed_out: "Sending took too long. Porchlight will try again.",
  service_failed:
    "Something went wrong in the service; its log has details. Porchlight will try again.",
  service_busy: "The service is busy or restarting. Porchlight will try again.",
  redirected: "This address redirects to another one. Use that one in Settings, Presence.",
  request_refused:
    "The service didn’t understand the request (status {status}). Check its address in Settings, Presence, and whether it is up to date.",
  service_unavailable:
    "The service can’t be reached at its address right now (status {status}). Porchlight will try again.",
  no_https: "HTTPS cannot be used here: {why}",
  no_executable: "the executable's path is unknown: {why}",
  // The tunnel, the listeners and editors.
  did_not_start: "{program} did not start: {why}",
  program_ended: "{program} ended ({how}): {last}",
  no_address_in_time: "it printed no address in time",
  address_silent: "{address} does not answer: {why}",
  address_answers: "{address} answers with error {status}",
  address_elsewhere: "{address} leads to something else",
  edge_empty:
    "the Worker at {address} finds neither this computer nor its snapshot: deploy its files again, or check its variables STORAGE_URL and PREFIX",
  edge_needs_storage_url: "the Worker needs `storage.storage_url`, the public address of the store",
  edge_no_key: "there is no key yet: save the Worker’s files first",
  tunnel_fails: "the tunnel: {why}",
  no_file: "there is no file {path}",
  program_is_folder: "{path} is a folder: choose the program in it",
  not_executable: "{path} may not be started: it is not marked as a program (chmod +x)",
  cannot_look_at: "{path} cannot be looked at: {why}",
  port_in_use:
    "{address} is in use by another program: stop that one, or choose another port (0 takes a free one)",
  tunnel_port_in_use:
    "{address} is in use by another program: stop it, or choose another port with tunnel.port",
  cannot_listen: "cannot listen on {address}: {why}",
  stopped_listening: "it stopped listening on {address}; the log says more",
  editors_port:
    "port {port} can’t be used ({why}). PicGo may be running: quit it, or choose another port in Settings, Editors",
  editors_secret: "editors cannot upload: their secret cannot be kept ({why})",
  editors_off: "editors cannot upload now: turn on “Accept pictures from editors” first",
  own_uploads_fail: "images of this machine cannot be uploaded: {why}",
  no_install_line: "no one line installs {program} everywhere",
  nothing_to_install: "nothing has to be installed",
  // Tokens.
  own_token:
    "the app itself uses this token. If it may be known to others, quit the app, run `porchlight token revoke` with its name, and start the app again: it makes itself a new one",
  no_such_token: "there is no such token any more",
  token_name_taken:
    "a token named {name} is there already: choose another name, or revoke that one first",
  no_token_name: "a token needs a name of 1 to 100 characters, none of them a control character",
  no_random_numbers: "this machine gives no random numbers: {why}",
  own_tokens_unkept: "the app's own tokens cannot be kept in {place}: {why}",
  // Sensors.
  no_display: "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set",
  x11_fails: "the X11 display cannot be asked: {why}",
  x11_no_foreground: "the window manager does not say which window is in front",
  x11_no_idle: "the X11 server has no idle counter (MIT-SCREEN-SAVER)",
  wayland_no_foreground:
    "this Wayland compositor does not offer it (wlr-foreign-toplevel-management)",
  wayland_no_idle: "this Wayland compositor does not offer it (ext-idle-notify)",
  wayland_fails: "the Wayland compositor cannot be asked: {why}",
  wayland_stopped: "the compositor no longer reports windows",
  no_kwin_either: "{why}, and there is no KWin to be asked",
  session_bus_fails: "the session bus cannot be asked ({why})",
  no_screen_saver: "no screen saver is on the session bus",
  logind_fails: "logind cannot be asked ({why})",
  no_logind_session: "logind knows no session of yours ({why})",
  bus_gone: "the bus has gone away",
  not_on_this_system: "Porchlight has no way to ask on this system yet",
  no_thread: "there is no thread for it: {why}",
  // The shortcut.
  no_x_server: "There is no X server to ask for keys.",
  x_server_silent: "The X server cannot be reached: {why}.",
  no_thread_for_keys: "There is no thread to listen for keys: {why}.",
  no_keyboard_map: "The X server does not report its keys: {why}.",
  no_such_key: "This keyboard has no such key.",
  keys_taken: "Another program has these keys already.",
  keys_refused: "The X server does not give these keys: {why}.",
  keys_on_linux_alone: "Porchlight can set up its own shortcut on Linux only.",
  no_bus_for_keys: "There is no session bus to ask for keys: {why}.",
  portal_names_no_session: "The desktop's portal names no session.",
  no_portal:
    "Your desktop doesn’t let apps set shortcuts. Add one in its keyboard settings that runs: porchlight --upload-clipboard",
  portal_needs_menu_entry:
    "Your desktop allows shortcuts only for apps in its menu: turn on “Show in applications menu” here.",
  portal_denied:
    "Your desktop didn’t assign these keys because the request was declined. Clear them and choose again to be asked once more.",
  portal_has_no_keys:
    "No keys are set yet: choose them in your desktop’s keyboard settings, under Porchlight.",
  portal_gone:
    "The desktop's portal has gone, and the keys with it. They are asked for again when it is back.",
  portal_took_keys_back:
    "The desktop has taken the keys back. Take them out here and choose them again to ask for them.",
  portal_refuses: "The desktop's portal does not give these keys.",
  portal_fails: "The desktop's portal gives no keys: {why}.",
  // The clipboard, entries, folders and files.
  no_clipboard: "there is no clipboard: {why}",
  no_picture_on_clipboard: "there is no picture on the clipboard",
  clipboard_unreadable: "the clipboard could not be read: {why}",
  clipboard_image_unfit: "an image of {width} × {height} cannot be sent on",
  clipboard_unwritable: "it cannot be put on the clipboard: {why}",
  no_entries: "there are no such entries on this system",
  entry_name: "{path} has a name that cannot stand in an entry",
  entry_unwritable: "the entry {path} cannot be changed: {why}",
  cannot_open: "{path} cannot be opened: {why}",
  cannot_write: "{path} cannot be written: {why}",
  not_utf8: "{path} is no UTF-8: choose another one",
  log_unreadable: "the log cannot be read: {why}",
  // Watched folders and the upload queue.
  file_changed: "the file changed while it was sent",
  file_empty: "the file is empty",
  file_unreadable: "Porchlight may not read this file ({why}). Change its permissions, then retry",
  not_watched: "no folder is watched",
  watch_fails: "no folder is watched: {why}",
  no_folder: "it is no folder",
  on_a_network: "it is on a network",
  as_the_settings_say: "as the settings say",
  too_many_watches: "the system watches no more folders (fs.inotify.max_user_watches)",
  no_file_events: "the system does not report file changes: {why}",
  queue_held: "another Porchlight watches folders with {folder}: quit that one first",
  cannot_use: "{folder} cannot be used: {why}",
  queue_broken:
    "{file} cannot be opened ({why}): move it away and restart. Watched folders are then scanned again, pasted images are queued again, and files that were dropped must be added again",
  queue_fails: "what waits to be uploaded cannot be written down: {why}",
  // Stored pictures.
  image_gone: "{hash} was deleted in this moment",
  no_rendition: "no narrower copy of {hash} could be made: {why}",
  no_such_picture: "there is no such picture any more",
  no_picture_named: "no picture was named",
  too_many_to_delete: "at most {most} pictures can be deleted at once",
  too_many_links: "at most {most} links can be copied at once",
  range_reversed: "the range ends before it begins",
  no_range: "a range is given by 2 to 400 times, each later than the one before",
  // The database.
  database_newer: "{file} was written by a newer version of Porchlight: install that version",
  database_older:
    "{file} was written by an older version of Porchlight: start Porchlight once to bring it up to date",
  database_damaged:
    "{file} is damaged or no Porchlight database ({why}): move it away or bring a backup back; nothing was changed",
  database_locked: "{file} is locked by another program: close that program and start again",
  database_unopened:
    "{file} cannot be opened ({why}): check that the folder exists and may be written, and that the disk has room",
  database_full: "the database has no room to grow: {why}",
  database_fails: "Porchlight’s database failed: {why}",
  database_closed: "the database is closed",
  // Storage.
  no_room: "there is no room left: {why}",
  object_missing: "{name} is missing",
  folder_unusable: "the folder {folder} cannot be used ({why}): check that it may be written",
  store_unset: "storage.{name} is not set",
  store_undescribed: "pictures go to an object store, but {why}",
  images_elsewhere:
    "{count} of the pictures are in an object store, but the settings do not say where: fill in its address, bucket and keys under Storage; then the pictures can be moved back to the disk",
  no_object_store: "the settings describe no object store",
  disk_worker_fails: "a disk worker broke: {why}",
  disk_fails: "Porchlight cannot {what} {path}: {why}",
  store_slow: "the object store did not {what} {name} within {seconds} seconds",
  store_fails: "the object store did not {what} {name}: {why}",
  store_unlisted: "the object store did not list {folder}/: {why}",
  store_too_large:
    "the object store announces {bytes} bytes for {name}: no stored image is that large",
  no_answer_in_time: "no answer came in time",
  cannot_set_aside: "{name} cannot be set aside: {why}",
  size_differs: "{name} has {there} bytes where {size} were stored",
  store_not_public:
    "{address} answers with status {status}: the bucket can’t be read by everybody there",
  store_elsewhere:
    "{address} answers with something else than what was written: it is not the public address of this bucket",
  store_wrong_type: "{address} was stored as text/plain and comes as {given}",
  store_no_cors:
    "{address} comes without Access-Control-Allow-Origin: pages of other sites can’t read it",
  store_answered: "it answered {answer}",
  store_not_understood: "its answer cannot be understood",
  store_unreachable: "the storage can’t be reached",
  store_took_too_long: "the storage took too long to answer",
  store_broke_off: "the connection broke off",
  // What was tried in storage.
  to_read: "read",
  to_write: "write",
  to_touch: "touch",
  to_remove: "remove",
  to_move_aside: "move aside",
  to_look_at: "look at",
  to_look_through: "look through",
  to_take: "take",
  to_tell_about: "tell about",
  to_give: "give",
  to_delete: "delete",
  // Backups, checks, restores and moves.
  busy: "something else is being done to the data folder: wait until that is over",
  storage_changed:
    "the settings of the storage were changed and count from the next start: restart Porchlight, and then move the pictures",
  move_stopped: "{why}. What was moved is in order where it is: do it again to go on.",
  left_behind:
    "{count} of them are still where they were, too: keep that storage in the settings until they are gone",
  storage_overruled:
    'the environment or the command line still says otherwise: set `storage.kind` to "{kind}" there, too, or new pictures will not go where the others are',
  came_back_different: "{hash}.webp was written to its new place and came back as something else",
  source_unreadable: "the pictures cannot be read where they are: {why}",
  and_more: "and {count} more",
  fault_database: "the database is damaged: {why}",
  fault_sources: "{count} entries in the database belong to no picture",
  fault_names: "{count} further names in the database are no picture's, or another one's own",
  fault_slots: "the numbers of the pictures in the database have gaps",
  fault_counts: "the counts of the list in the database are wrong",
  fault_missing: "{hash}.webp is missing",
  fault_wrong: "{hash}.webp is not what was stored",
  fault_size: "{hash}.webp is right and has {bytes} bytes, but the database has another size",
  fault_unreadable: "{hash}.webp cannot be read: {why}",
  fault_orphan: "{name} is not in the database",
  fault_lone_rendition: "{name} is a copy of no picture",
  fault_broken_rendition: "{name} is broken",
  fault_stray: "{path} has a name that no picture has",
  fault_leftover: "{path} is left of an upload that did not end",
  in_object_store: "{name} in the object store",
  nothing_there: "there is no Porchlight in {folder} yet",
  backup_exists: "{file} is there already: choose another name",
  folder_not_empty:
    "{folder} is not empty, there is {name}: a backup is only restored to an empty folder",
  no_backup: "{file} is no backup that can be restored: {why}; nothing was restored",
  backup_no_plain_file: "{path} in it is no plain file",
  backup_twice: "{path} is in it twice",
  backup_too_large: "{path} in it is too large",
  backup_after_end: "{path} comes after its end",
  backup_start: "it does not begin as a backup does",
  backup_newer: "it is of Porchlight {version}, and newer",
  backup_foreign: "{path} belongs in no backup",
  backup_cut_short: "it was cut short",
  backup_no_database: "there is no database in it",
  backup_changed: "what is in it is not what was put in",
  backup_database_fails: "its database: {why}",
  backup_database: "its database",
  backup_schema: "its database has a foreign schema: {name}",
  not_restorable:
    "this backup cannot be restored, since {name} in the database is not Porchlight's: remove it and take another backup",
  cannot_leave_out: "`{key}` in its settings cannot be left out",
  backup_missing: "{name} is missing in it",
  backup_wrong: "{name} in it is not what was stored",
  backup_rowless: "there are pictures in it that its database does not know",
  // Steam.
  steam_key_unset: "the key of the Steam Web API is not set",
  steam_id_unset: "the SteamID is not set",
  steam_account_unset: "the key of the Steam Web API and the SteamID are not set",
  steam_key_refused: "Steam doesn’t accept the key (error {status}): check it, or enter a new one",
  steam_no_account: "Steam knows no such account: check the SteamID",
  steam_too_many_calls: "Steam asks for fewer calls ({status})",
  steam_status: "Steam answered with status {status}",
  steam_not_understood: "Steam's answer was not understood",
  steam_private: "the Steam profile is private, so Steam does not report the game",
  steam_silent: "Steam {why}",
  no_steam_client: "no Steam client was found on this machine",
  steam_client_mute: "on this system the Steam client does not report which game runs",
  processes_unreadable: "the programs of this machine could not be looked at",
  steam_files_slow: "the Steam client's files could not be read in time",
  steam_slow: "Steam did not answer in time: try again later",
  advise_steam_folder: "{why}: where it is in an unusual place, name its folder in Settings, Game",
  advise_steam_key: "{why}: set a key and the SteamID instead",
  advise_restart: "{why}: start Porchlight again",
  advise_steam_public:
    '{why}: in the profile\'s privacy settings make "My profile" and "Game details" public',
  advise_later: "{why}: try again later",
  advise_online: "{why}: see whether this machine is online",
  advise_steam_api: "{why}: try again later, or check the address of the Web API in the settings",
  neither_source: "{one}, and {other}",
  steam_store_silent: "the Steam store {why}",
  steam_store_status: "the Steam store answered with status {status}",
  steam_store_not_understood: "the Steam store's answer was not understood",
  no_answer_within: "did not answer within {seconds} seconds",
  cannot_be_reached: "cannot be reached",
  broke_off_answer: "broke off its answer",
  answer_too_long: "answered with more than {most} MiB",
};
