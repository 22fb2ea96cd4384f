// Literals in the sources of the process that read as words and that no window shows, each with
// where it is read instead. A new one belongs into words/said, or here with its reason.

/** Whole files and folders. */
export const files: Record<string, string> = {
  "crates/api/src/error.rs": "bodies of the interface: the window tells answers by their status",
  "crates/api/src/types_for_the_page.rs": "writes the page's types",
  "crates/app/src/settings/meta/types_for_the_page.rs": "writes the page's settings",
  "crates/companion/src/picgo/": "answers to editors",
  "crates/companion/src/tiny_server.rs": "a server for tests",
  "crates/core/src/images/convert/": "the log: the window tells a picture's trouble by its kind",
  "crates/core/src/import/": "the terminal: `porchlight import`",
  "crates/core/src/ip/": "the log, and a start that does not come about",
  "crates/core/src/upkeep/repair.rs": "the log: the dialog after a repair counts",
  "crates/server/src/error.rs": "headers of answers",
  "crates/server/src/gate.rs": "the log",
  "crates/server/src/reply.rs": "headers of answers",
  "crates/server/src/routes/": "answers of the interface",
  "src-tauri/build.rs": "whoever builds",
  "src-tauri/cli/": "the terminal",
  "crates/app/src/data_dir.rs": "a start that does not come about",
  "src-tauri/desktop/dialogs.rs": "has both languages itself",
  "src-tauri/desktop/desktop_entries/text.rs": "has both languages itself",
  "src-tauri/desktop/mod.rs": "a start that does not come about",
  "src-tauri/desktop/dbus/": "the log",
  "src-tauri/desktop/i18n.rs": "has both languages itself",
  "src-tauri/main.rs": "the terminal",
  "crates/app/src/file_mode/": "the log",
  "crates/app/src/logging.rs": "a start that does not come about",
  "crates/app/src/diagnostics.rs": "the report of trouble, for whoever helps",
  "crates/app/src/host/instance_file.rs": "the terminal",
  "crates/app/src/services/public_address.rs": "the log",
};

/** Single ones, by their files. */
export const literals: Record<string, string[]> = {
  // The log of the start after a restore.
  "crates/app/src/maintenance/startup.rs": [
    "pictures of watched folders are all looked up again, since what was there before cannot be compared: {}",
    "pictures of watched folders that the restore took away are not uploaded again: {}",
    "today's readers can still be identified with the database in {}: {}",
  ],
  // The settings file.
  "crates/app/src/settings/of_backup.rs": ["# Left out when a backup was restored:\\n"],
  // Looked at by `said.ts` itself, and a header.
  "crates/api/src/client.rs": ["the service answered {}: {}", "Bearer {}"],
  // The terminal: the window's own service is not looked for.
  "crates/api/src/client/place.rs": ["it has stopped, and another program may have its port"],
  // The terminal: `porchlight upload`.
  "crates/companion/src/opened.rs": ["this is no regular file"],
  // What a debugger shows.
  "crates/companion/src/presence/foreground.rs": ["Icon({} pixels)"],
  // What the system shows of a delayed sleep.
  "crates/companion/src/presence/sensors/logind.rs": ["tells the blog that nobody is there"],
  // The terminal: `porchlight companion`.
  "crates/companion/src/presence/sensors/mod.rs": [
    "the program in front is not known",
    "whether you are idle is not known",
    "whether the screen is locked is not known",
    "whether media play is not known",
    "sleep is not announced",
  ],
  // The log and the terminal; the window has the state itself.
  "crates/companion/src/tunnel/mod.rs": [
    "seeing whether {} leads here",
    "up at {}",
    "{}; starting again in {} s",
    "the program `{}` is not installed",
  ],
  // Commands, and the terminal.
  "crates/companion/src/tunnel/plan.rs": [
    "brew install cloudflared",
    "brew install bore-cli",
    "brew install frpc",
    "brew install tailscale",
    "brew install ngrok",
    "winget install --id Cloudflare.cloudflared",
    "cargo install bore-cli",
    "sudo apt-get install openssh-client",
    "it comes with the system, as an optional feature on Windows",
  ],
  // The terminal: `porchlight upload`.
  "crates/companion/src/upload/find.rs": [
    "this is a folder: name it with --folder",
    "this is no regular file",
  ],
  "crates/companion/src/upload/ledger.rs": ["# pictures that {} has taken\\n"],
  "crates/companion/src/upload/mod.rs": ["the list of what was taken cannot be kept in {}: {}"],
  // The name of a thread.
  // The log.
  "crates/companion/src/added_files/mod.rs": ["what was pasted cannot be kept: {}"],
  "src-tauri/desktop/uploads/mod.rs": ["the upload queue is not open"],
  // SQL.
  "crates/companion/src/upload_queue/added.rs": [
    "WHERE state = 0 AND id NOT IN ({}) ORDER BY tries, turn LIMIT {}",
    "state = 1 WHERE state = 0",
    "state = 0 WHERE state = 1",
    "tries = tries + 1 WHERE true",
    "state = 2 WHERE state = 1",
  ],
  "crates/companion/src/watch/scanner.rs": ["watched folder"],
  // The log: the window says that it could not be stored.
  "crates/core/src/images/ingest.rs": [
    "both names of the picture are other images' names",
    "an upload cannot be read back: {}",
  ],
  "crates/core/src/images/worker_pool.rs": ["the worker pool is closed", "a worker failed: {}"],
  // Headers, and what a store answers.
  "crates/core/src/storage/s3.rs": ["public, max-age=31536000, immutable"],
  "crates/core/src/storage/s3/failure.rs": ["507 Insufficient Storage", "status code: "],
  // Names of tokens, by which `porchlight token revoke` knows them, too.
  "crates/core/src/tokens/mod.rs": ["{} (first run)", "{} (first run, {})"],
  "crates/app/src/tokens/app_tokens.rs": [
    "this app",
    "this app's watched folders",
    "this app's commands",
  ],
  // Names in the keyring.
  "crates/app/src/tokens/secret_store.rs": ["{} token of {}", "PicGo secret of {}"],
  // Standard error: it holds a secret, which the window copies.
  "crates/app/src/services/picgo.rs": ["porchlight: editors upload to {}"],
  // The log.
  "crates/core/src/upkeep/check.rs": ["an image"],
  // Queries.
  "crates/core/src/upkeep/rows.rs": [
    "{} WHERE hash > ?1 ORDER BY hash LIMIT ?2",
    "{} WHERE hash = ?1",
  ],
  // What a browser shows at the bare address: a setting.
  "crates/server/src/settings.rs": ["The porch light is on. This is Porchlight.\\n"],
  // Standard error.
  "src-tauri/desktop/restart.rs": ["it cannot restart: {}"],
  // The head of a column in a CSV file.
  "src-tauri/desktop/csv_export.rs": ["hung up"],
  // A header.
  "src-tauri/desktop/image_protocol.rs": ["private, max-age=31536000, immutable"],
  // The log.
  "src-tauri/desktop/tray/mod.rs": ["starting Porchlight again opens its window"],
  // What editors get: commands and headers.
  "crates/app/src/integrations/editors.rs": [
    "Authorization: Bearer {}\\n",
    "curl -sS -H {} -F image=@picture.png {}",
    "{} upload --links --api {} --token-file {}",
    "Bearer {}",
  ],
  // A start that does not come about, and the log.
  "crates/app/src/settings/layers.rs": [
    "the environment variable {} is none of Porchlight's and is ignored",
    "{}: its value is not UTF-8",
    "{} is no setting: write `--set key=value`",
    "value = {}",
  ],
  "crates/app/src/host/start_error.rs": ["the backup cannot take its place in the data folder: {}"],
};
