//! All messages: their names, what varies in them, and their sentences in English: the page's, and
//! after `log` another one for the log and the terminal, where these name keys, options and the words
//! of the system.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Parameter;
use super::define::{messages, write_for_the_log};

messages! {
    // What the system and other programs say.
    Text { text } = "{text}",
    Detail { text } = "{text}",
    About { what, why } = "{what}: {why}",
    Both { one, other } = "{one}; {other}" log "{one}\n{other}",
    NoPermission { text } = "no permission" log "{text}",
    NotFound { text } = "no such file or folder" log "{text}",
    ConnectionRefused { text } = "the connection was refused" log "{text}",
    NoNetwork { text } = "there is no network" log "{text}",
    AddressInUse { text } = "the port is in use" log "{text}",
    ReadOnly { text } = "nothing can be written there" log "{text}",
    DiskFull { text } = "there is no room left" log "{text}",
    TimedOut { text } = "it took too long" log "{text}",
    // Values of settings.
    Settings { why } = "{why}",
    OutOfBounds { value, min, max } = "{value} is out of bounds: from {min} to {max}",
    NoWebAddress { given } = "{given} is no web address: it should look like https://light.example.blog",
    NoNetworkAddress { given } = "{given} is not an address or network: it should look like 192.168.1.2 or 172.16.0.0/12",
    NoFullPath { path } = "{path} is no full path: write it from the root on",
    NoExpression { given, why } = "{given} is no regular expression: {why}",
    NoSteamId = "a SteamID is a number of 17 digits",
    NoColour = "a colour is written as r,g,b,a: three whole numbers from 0 to 255 and an alpha from 0 to 1",
    NoTemplate = "a template is `url`, `markdown`, `html`, `responsive` or `bbcode`, or a text of your own with {{url}} or {{named_url}} where the address goes",
    NoShortcut = "a shortcut is Ctrl, Alt, Shift or Super, and a letter, a digit, F1 to F24, Print, Insert, Pause, Home, End, PageUp or PageDown, such as Ctrl+Alt+U",
    BareShortcut = "a letter, a digit or another typing key needs Ctrl, Alt or Super with it: alone, you could no longer type it",
    SavedBut { why } = "the settings are saved, but {why}",
    // The settings file, and the rules between settings.
    SettingsUnreadable { file, why } = "the settings file {file} cannot be read: {why}",
    Declined = "nothing was changed, because you cancelled",
    StatusTooLong = "a status has at most 200 characters, its line 2,000, and no line breaks",
    ListenNeedsProxy { address } = "other computers can reach {address}. That is refused unless `server.client_ip` names the header of your own proxy: X-Forwarded-For or CF-Connecting-IP"
        log "`server.listen` = \"{address}\" is reachable from other machines, which is refused unless `server.client_ip` names the header of your own proxy: \"x-forwarded-for\" or \"cf-connecting-ip\"",
    // Why heartbeats and pictures do not arrive.
    ServiceSilent { address, why } = "the service at {address} does not answer ({why}). Porchlight will try again"
        log "the service at {address} did not answer: {why}",
    TokenRefused = "the access token was not accepted. If you send your status to a different server, enter its token again in Settings, Presence"
        log "the service refused the token",
    NotOurService { status } = "something else answers ({status}) at this address. Porchlight will try again; check the address, and whether the network requires a login first"
        log "the answer ({status}) is not one of a service of this interface",
    AskedToWait = "the service received too many requests at once. Porchlight will try again"
        log "the service asks to wait",
    ImageTooLarge { status, text } = "This picture is too large for the service. Make it smaller, or raise the limit in Settings, Quality."
        log "the service answered {status}: {text}",
    TooLarge { status, text } = "This is too large for the service."
        log "the service answered {status}: {text}",
    UnsupportedFormat { status, text } = "Porchlight can’t read this file as a picture. It reads JPEG, PNG, GIF, WebP, HEIC, AVIF, JPEG XL, SVG, BMP, TIFF, ICO and QOI. Save it as one of these."
        log "the service answered {status}: {text}",
    DamagedPicture { status, text } = "This picture is damaged. Save it again, or remove it from the list."
        log "the service answered {status}: {text}",
    ServiceFull { status, text } = "The storage is full. Free up some space; Porchlight will try again."
        log "the service answered {status}: {text}",
    ServiceFailed { status, text } = "Something went wrong in the service; its log has details. Porchlight will try again."
        log "the service answered {status}: {text}",
    ServiceBusy { status, text } = "The service is busy or restarting. Porchlight will try again."
        log "the service answered {status}: {text}",
    // The tunnel, the listeners and editors.
    DidNotStart { program, why } = "{program} did not start: {why}",
    ProgramEnded { program, how, last } = "{program} ended ({how}): {last}",
    AddressSilent { address, why } = "{address} does not answer: {why}",
    AddressAnswers { address, status } = "{address} answers with error {status}",
    AddressElsewhere { address } = "{address} leads to something else",
    // The Worker at Cloudflare.
    CloudflareToken { why } = "Cloudflare does not accept the token ({why}): copy all of an API token that is active. A Global API Key or an Origin CA key is none; for a token of an account, fill in the account’s ID, too"
        log "Cloudflare does not accept the token ({why}): copy all of an API token that is active. A Global API Key or an Origin CA key is none; for a token of an account, name the account with --account",
    CloudflarePermission { why } = "the token lacks a permission ({why}): it needs Workers Scripts: Edit and Account Settings: Read, for R2 also Workers R2 Storage: Edit. Where you are a member of the account, your role must be Admin, since Editor cannot create Workers"
        log "the token lacks a permission ({why}): it needs Workers Scripts: Edit and Account Settings: Read, for --r2 also Workers R2 Storage: Edit. Where you are a member of the account, your role must be Admin, since Editor cannot create Workers",
    CloudflareNameTaken = "this name of workers.dev is taken: choose another one"
        log "this name of workers.dev is taken: choose another one with --subdomain",
    CloudflareR2Off = "R2 is not switched on in the account: switch it on in Cloudflare’s dashboard, which asks for a payment method, or set up without R2"
        log "R2 is not switched on in the account: switch it on in Cloudflare's dashboard, which asks for a payment method, or leave out --r2",
    EdgeNoAccount = "the token lists no account: fill in the account’s ID, which is in the address of Cloudflare’s dashboard"
        log "the token lists no account: find the account's id in the address of Cloudflare's dashboard, and name it with --account",
    EdgeAccounts { accounts } = "the token is for several accounts: choose one of {accounts}"
        log "the token is for several accounts: choose one with --account: {accounts}",
    EdgeNeedsSubdomain = "the account has no name at workers.dev yet: choose one"
        log "the account has no name at workers.dev yet: choose one with --subdomain",
    EdgeHoldsPictures { count } = "pictures that only the Worker keeps: {count}. Move them to this disk first",
    PortInUse { address } = "{address} is in use by another program: stop that one, or choose another port (0 takes a free one)"
        log "{address} is in use by another program: stop it, or choose another port with --listen or server.listen (port 0 takes a free one)",
    EditorsPort { port, why } = "port {port} can’t be used ({why}). PicGo may be running: quit it, or choose another port in Settings, Editors"
        log "editors cannot upload: port {port} cannot be listened on ({why}); PicGo itself may have it: stop that, or choose another `picgo.port`",
    // Tokens.
    TokenNameTaken { name } = "a token named {name} is there already: choose another name, or revoke that one first",
    // Sensors.
    WaylandNoForeground = "this Wayland compositor does not offer it (wlr-foreign-toplevel-management)",
    GnomeNeedsSwitch { extension } = "GNOME reports no app to Porchlight while the extension {extension} is off"
        log "GNOME Shell's extension is off: gnome-extensions enable {extension}",
    GnomeNeedsLogin { extension } = "GNOME will know the extension {extension} after your next login"
        log "GNOME Shell will know the extension {extension} after the next login",
    GnomeExtensionsOff = "GNOME’s extensions are all turned off. Turn them on in the app Extensions"
        log "GNOME Shell's extensions are all turned off: gsettings set org.gnome.shell disable-user-extensions false",
    GnomeNoExtension { extension } = "GNOME needs the extension {extension}, which Porchlight’s packages install; it isn’t installed here",
    // The shortcut.
    KeysTaken = "Another program has these keys already, or your keyboard lacks them.",
    NoPortal = "Your desktop doesn’t let apps set shortcuts. Add one in its keyboard settings that runs: porchlight --upload-clipboard",
    PortalNeedsMenuEntry = "Your desktop allows shortcuts only for apps in its menu: turn on “Show in applications menu” here.",
    // The clipboard, entries, folders and files.
    NoPictureOnClipboard = "there is no picture on the clipboard",
    // Watched folders and the upload queue.
    FileChanged = "the file changed while it was sent",
    FileEmpty = "the file is empty",
    FileUnreadable { why } = "Porchlight may not read this file ({why}). Change its permissions, then retry",
    DataFolderHeld { folder, process } = "another Porchlight uses the data folder {folder}{process}"
        log "the data folder {folder} is served by another Porchlight already{process}: stop that one, or choose another folder with --data-dir",
    // The database.
    DatabaseNewer { file } = "{file} was written by a newer version of Porchlight: install that version"
        log "{file} was written by a newer version of Porchlight: install that version, or choose another data folder",
    DatabaseDamaged { file, why } = "{file} is damaged or no Porchlight database ({why}): move it away or bring a backup back; nothing was changed",
    // Storage.
    StoreNotPublic { address, status } = "{address} answers with status {status}: the bucket can’t be read by everybody there",
    StoreWrongType { address, given } = "{address} was stored as text/plain and comes as {given}",
    StoreNoCors { address } = "{address} comes without Access-Control-Allow-Origin: pages of other sites can’t read it",
    EdgeDaySpent { until } = "the free plan’s limit of the day is reached: it works again from {until}",
    // Backups, checks, restores and moves.
    Busy = "something else is being done to the data folder: wait until that is over",
    ManyMissing { missing, of } = "{missing} of {of} pictures are missing, so nothing was changed: is a disk not mounted, or is another bucket set?"
        log "{missing} of {of} images are missing: the disk that they are on may not be mounted, or the settings may name another bucket. Nothing was changed. If the images are lost, repair again with --missing-is-lost, which removes their rows",
    Cancelled = "cancelled",
    // Steam.
    SteamKeyRefused { status } = "Steam doesn’t accept the key (error {status}): check it, or enter a new one"
        log "Steam refuses the key ({status}): check game.steam_api_key",
    SteamPrivate = "the Steam profile is private, so Steam does not report the game: in its privacy settings make \"My profile\" and \"Game details\" public",
}

impl std::error::Error for Message {}
