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
    About { what, why } = "{what}: {why}",
    Both { one, other } = "{one}; {other}",
    NoPermission { text } = "no permission" log "{text}",
    NotFound { text } = "no such file or folder" log "{text}",
    ConnectionRefused { text } = "the connection was refused" log "{text}",
    ConnectionReset { text } = "the connection was broken off" log "{text}",
    NoNetwork { text } = "there is no network" log "{text}",
    AddressInUse { text } = "the port is in use" log "{text}",
    ReadOnly { text } = "nothing can be written there" log "{text}",
    DiskFull { text } = "there is no room left" log "{text}",
    IsADirectory { text } = "it is a folder" log "{text}",
    NotADirectory { text } = "it is no folder" log "{text}",
    Locked { text } = "another program is using it, so close that one and try again" log "{text}",
    TimedOut { text } = "it took too long" log "{text}",
    ExitStatus { status } = "exit status {status}",
    // Values of settings.
    UnknownVariant { given, known } = "{given} is none of {known}",
    UnknownField { given, known } = "unknown field {given}, expected one of {known}",
    MissingField { field } = "{field} is missing",
    InvalidValue { given, expected } = "{given} was given where {expected} belongs",
    OutOfBounds { value, min, max } = "{value} is out of bounds: from {min} to {max}",
    NoWebAddress { given } = "{given} is no web address: it should look like https://light.example.blog",
    AddressWithExtras = "a user name, a query or a fragment ('@', '?' or '#') cannot be in it: it should look like https://light.example.blog",
    NoNetworkAddress { given } = "{given} is not an address or network: it should look like 192.168.1.2 or 172.16.0.0/12",
    NoFullPath { path } = "{path} is no full path: write it from the root on",
    OnAnotherComputer { path } = "{path} may be on another computer: use a file or folder of this one, or a drive letter for a network share",
    NoFileOrFolder { path } = "{path} is neither a regular file nor a folder",
    EmptyPattern = "a pattern cannot be empty",
    NoExpression { given, why } = "{given} is no regular expression: {why}",
    NoGroup { given } = "{given} needs a group, in parentheses, around the address",
    NoCommand = "a command is a list of words, the program first",
    NoSteamId = "a SteamID is a number of 17 digits",
    NoLanyardId = "an id is a number of up to 20 digits",
    NoCountry = "a country is two letters, such as CN",
    NoStoreLanguage = "a language is one of the store's names, such as schinese",
    TooManyCharacters { most } = "at most {most} characters",
    ControlCharacters = "control characters cannot be in it",
    EmptyRule = "a rule needs a program or a title",
    NoColour = "a colour is written as r,g,b,a: three whole numbers from 0 to 255 and an alpha from 0 to 1",
    NoTemplate = "a template is `url`, `markdown`, `html`, `responsive` or `bbcode`, or a text of your own with {{url}} or {{named_url}} where the address goes",
    NoAlbumName = "the name of an album has 1 to 64 characters",
    NoShortcut = "a shortcut is Ctrl, Alt, Shift or Super, and a letter, a digit, F1 to F24, Print, Insert, Pause, Home, End, PageUp or PageDown, such as Ctrl+Alt+U",
    BareShortcut = "a letter, a digit or another typing key needs Ctrl, Alt or Super with it: alone, you could no longer type it",
    UnknownKey { key } = "there is no setting `{key}`" log "unknown key `{key}`",
    UnknownKeyLike { key, meant } = "there is no setting `{key}`; did you mean `{meant}`?"
        log "unknown key `{key}`, did you mean `{meant}`?",
    UnknownSection { section } = "there is no group of settings `[{section}]`"
        log "unknown section `[{section}]`",
    UnknownSectionLike { section, meant } = "there is no group of settings `[{section}]`; did you mean `{meant}`?"
        log "unknown section `[{section}]`, did you mean `{meant}`?",
    IsASection { name } = "{name} is a section: write `[{name}]`",
    MustBeText = "it must be a text" log "it must be a text in quotes",
    MustBeTexts = "it must be a list of texts in quotes",
    // The settings file, and the rules between settings.
    NoSettingsSection { name } = "`{name}` in the settings file is no section",
    SettingsUnreadable { file, why } = "the settings file {file} cannot be read: {why}",
    SettingsUnwritable { file, why } = "the settings file {file} cannot be written: {why}",
    SettingsNotToml { why } = "the settings file is not valid TOML: {why}",
    SettingsGone { file } = "the settings file {file} is gone",
    InFile { file, line } = "{file}, line {line}",
    SavedBut { why } = "the settings are saved, but {why}",
    Declined = "nothing was changed, because you cancelled",
    RulesOverruled = "the rules are in the settings file, but others count: `presence.rules` was given by the environment or on the command line",
    StatusEmpty = "a status needs some words",
    OverridesUnwritten { file, why } = "{file} cannot be written ({why}): what you changed holds until a restart",
    StatusTooLong = "a status has at most 200 characters, its line 2,000, and no line breaks",
    DeliveryContradicts { delivery, behaviour } = "`images.delivery` is \"{delivery}\", which contradicts `behaviour` = \"{behaviour}\": remove one of the two",
    FieldsContradict { fields, behaviour } = "`heartbeat.fields` is {fields}, which contradicts `behaviour` = \"{behaviour}\": remove one of the two",
    NeedsObjectStore { key, value } = "`{key}` = “{value}” needs an object store, but pictures go to the disk: choose the object store under Storage first, and say where it is"
        log "`{key}` = \"{value}\" needs an object store, but `storage.kind` is \"disk\": set `storage.kind` to \"s3\" and say where it is",
    ObjectStoreNeeds { kind, keys } = "`storage.kind` = \"{kind}\" needs {keys}",
    PublishNeedsStore = "a snapshot needs an object store, but pictures go to the disk: choose the object store under Storage first, and say where it is"
        log "`publish.enabled` needs an object store, but `storage.kind` is \"disk\": set `storage.kind` to \"s3\" and say where it is",
    PublishNeedsStorageUrl = "a snapshot needs `storage.storage_url`, the public address of the store"
        log "`publish.enabled` needs `storage.storage_url`, the public address of the store",
    UpdateInTheClear { url } = "`update.url` = \"{url}\" is not encrypted: use an https:// address",
    EdgeInTheClear { url } = "`edge.url` = \"{url}\" is not encrypted: use an https:// address",
    CloudflareElsewhere { url } = "`edge.cloudflare_url` = \"{url}\" would get the token of your Cloudflare account: leave it out; only tests on this machine need it",
    NoUpdateKey = "This is not a minisign public key. It is the second line of minisign.pub."
        log "a public key of minisign is the second line of its `minisign.pub`, and begins with RW",
    EdgeSecretShort { least } = "the key of the Worker has fewer than {least} characters: remove it, and `porchlight edge init` makes one"
        log "`edge.secret` has fewer than {least} characters: remove it, and `porchlight edge init` makes one",
    NeedsStorageUrl { key, value } = "`{key}` = \"{value}\" needs `storage.storage_url`, the public address of the store",
    ListenNeedsProxy { address } = "other computers can reach {address}. That is refused unless `server.client_ip` names the header of your own proxy: X-Forwarded-For or CF-Connecting-IP"
        log "`server.listen` = \"{address}\" is reachable from other machines, which is refused unless `server.client_ip` names the header of your own proxy: \"x-forwarded-for\" or \"cf-connecting-ip\"",
    TokenInTheClear { url } = "others could read the token on its way to {url}: use the https:// address of that service"
        log "`presence.target_url` = \"{url}\" would send `presence.token` in the clear: use the https:// address of that service",
    TargetNeedsToken = "`presence.target_url` needs `presence.token`, a token of that service",
    HostnameAlone = "`tunnel.hostname` is a name alone, such as light.example.org",
    NamedTunnelNeedsPort = "a named tunnel needs `tunnel.port`, the port that it leads to by your settings at Cloudflare",
    TunnelTokenNeedsHostname = "`tunnel.cloudflared_token` needs `tunnel.hostname`, the name that you gave the tunnel",
    HostnameNeedsTunnelToken = "`tunnel.hostname` needs `tunnel.cloudflared_token`; without both you get a quick tunnel",
    TunnelNeedsSshHost = "it needs `tunnel.ssh_host`, too"
        log "`tunnel.kind` needs `tunnel.ssh_host`",
    NoSshHost = "`tunnel.ssh_host` is a host, or user@host",
    SshNeedsPublicUrl = "a tunnel by SSH needs `tunnel.public_url`, the address that readers of that host use",
    SshNeedsPort = "a tunnel by SSH needs `tunnel.ssh_port`, the port on that host which `tunnel.public_url` leads to",
    TunnelNeedsCommand = "it needs `tunnel.command`, too"
        log "`tunnel.kind` needs `tunnel.command`",
    CommandNeedsPattern = "`tunnel.command` needs `tunnel.pattern`, which finds the public address in what it prints, or `tunnel.public_url`",
    // Why heartbeats and pictures do not arrive.
    ServiceSlow { address } = "the service at {address} is slow to answer",
    ServiceSilent { address, why } = "the service at {address} does not answer ({why}). Porchlight will try again"
        log "the service at {address} did not answer: {why}",
    TokenRefused = "the access token was not accepted: restart Porchlight. If you send your status to a different server, enter its token again in Settings, Presence"
        log "the service refused the token",
    NotOurService { status } = "something else answers ({status}) at this address. Porchlight will try again; check the address, and whether the network requires a login first"
        log "the answer ({status}) is not one of a service of this interface",
    AskedToWait = "the service received too many requests at once. Porchlight will try again"
        log "the service asks to wait",
    TokenCharacters = "the token holds characters that no token has. Copy it and set it again"
        log "the token holds characters that a header cannot carry",
    HttpsOnly { status, text } = "The service only accepts https://. Change the address in Settings, Presence."
        log "the service answered {status}: {text}",
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
    SendingTimedOut { status, text } = "Sending took too long. Porchlight will try again."
        log "the service answered {status}: {text}",
    ServiceFailed { status, text } = "Something went wrong in the service; its log has details. Porchlight will try again."
        log "the service answered {status}: {text}",
    ServiceBusy { status, text } = "The service is busy or restarting. Porchlight will try again."
        log "the service answered {status}: {text}",
    Redirected { status, text } = "This address redirects to another one. Use that one in Settings, Presence."
        log "the service answered {status}: {text}",
    RequestRefused { status, text } = "The service didn’t understand the request (status {status}). Check its address in Settings, Presence, and whether it is up to date."
        log "the service answered {status}: {text}",
    ServiceUnavailable { status, text } = "The service can’t be reached at its address right now (status {status}). Porchlight will try again."
        log "the service answered {status}: {text}",
    NoHttps { why } = "HTTPS cannot be used here: {why}",
    NoExecutable { why } = "the executable's path is unknown: {why}",
    // The tunnel, the listeners and editors.
    DidNotStart { program, why } = "{program} did not start: {why}",
    ProgramEnded { program, how, last } = "{program} ended ({how}): {last}",
    NoAddressInTime = "it printed no address in time",
    AddressSilent { address, why } = "{address} does not answer: {why}",
    AddressAnswers { address, status } = "{address} answers with error {status}",
    AddressElsewhere { address } = "{address} leads to something else",
    EdgeEmpty { address } = "the Worker at {address} finds neither this computer nor its snapshot: deploy its files again, or check its variables STORAGE_URL and PREFIX",
    EdgeForeign { files } = "Nothing was written, since these files are not Porchlight’s or were changed: {files}. Move them away, or choose another folder.",
    NoHostName { given } = "{given} is not a host name such as light.example.org",
    NoLabel = "a name is 1 to 63 of a-z, 0-9 and -, with no - at either end",
    // The Worker at Cloudflare.
    CloudflareToken { why } = "Cloudflare does not accept the token ({why}): copy all of an API token that is active. A Global API Key or an Origin CA key is none; for a token of an account, fill in the account’s ID, too"
        log "Cloudflare does not accept the token ({why}): copy all of an API token that is active. A Global API Key or an Origin CA key is none; for a token of an account, name the account with --account",
    CloudflarePermission { why } = "the token lacks a permission ({why}): it needs Workers Scripts: Edit and Account Settings: Read, for R2 also Workers R2 Storage: Edit. Where you are a member of the account, your role must be Admin, since Editor cannot create Workers"
        log "the token lacks a permission ({why}): it needs Workers Scripts: Edit and Account Settings: Read, for --r2 also Workers R2 Storage: Edit. Where you are a member of the account, your role must be Admin, since Editor cannot create Workers",
    CloudflareEmail = "the e-mail address of the account is not verified: open the link in Cloudflare’s e-mail, then try again"
        log "the e-mail address of the account is not verified: open the link in Cloudflare's e-mail, and run this again",
    CloudflareNameTaken = "this name of workers.dev is taken: choose another one"
        log "this name of workers.dev is taken: choose another one with --subdomain",
    CloudflareNameFree = "this name of workers.dev is not taken",
    CloudflareNotFound { why } = "Cloudflare does not find it: {why}",
    CloudflareRejects { why } = "Cloudflare rejects the Worker: {why}",
    CloudflareR2Off = "R2 is not switched on in the account: switch it on in Cloudflare’s dashboard, which asks for a payment method, or set up without R2"
        log "R2 is not switched on in the account: switch it on in Cloudflare's dashboard, which asks for a payment method, or leave out --r2",
    CloudflareNoBucket { why } = "the bucket of the Worker is missing: make it in Cloudflare’s dashboard ({why})",
    CloudflareTooMany = "Cloudflare counts too many calls of this account: try again in five minutes"
        log "Cloudflare counts too many calls of this account: run this again in five minutes",
    CloudflareAnswered { status, why } = "Cloudflare answered {status}: {why}",
    CloudflareUnreachable { why } = "Cloudflare cannot be reached: {why}",
    CloudflareMalformed { status } = "the answer is not that of Cloudflare’s API (status {status})",
    EdgeNoAccount = "the token lists no account: fill in the account’s ID, which is in the address of Cloudflare’s dashboard"
        log "the token lists no account: find the account's id in the address of Cloudflare's dashboard, and name it with --account",
    EdgeAccounts { accounts } = "the token is for several accounts: choose one of {accounts}"
        log "the token is for several accounts: choose one with --account: {accounts}",
    EdgeNeedsSubdomain = "the account has no name at workers.dev yet: choose one"
        log "the account has no name at workers.dev yet: choose one with --subdomain",
    EdgeNotOurs { name } = "the account has a Worker {name} that Porchlight did not deploy; it was left alone: rename or delete it in Cloudflare’s dashboard, then try again"
        log "the account has a Worker {name} that Porchlight did not deploy; it was left alone: choose another name with --name",
    EdgeOfAnother { name } = "the account has a Worker {name}, and there is no key for it here: it belongs to another Porchlight. Copy `edge.secret` from there to use the same one"
        log "the account has a Worker {name}, and the settings have no `edge.secret`: it belongs to another Porchlight. Choose another name with --name, or copy `edge.secret` from there",
    EdgeElsewhere { url } = "pictures are kept by the Worker at {url}, and a new one would not have them: move them to this disk first"
        log "images are kept by the Worker at {url}, and a new one would not have them: move them away first with `porchlight storage move --to disk`",
    EdgeMissing { name } = "the account has no Worker {name}",
    EdgeNotProved { url, why } = "the Worker is deployed, but {url} has not proved itself: {why}. The settings are as they were: set it up again later"
        log "the Worker is deployed, but {url} has not proved itself: {why}. The settings are as they were: run `porchlight edge deploy` again later",
    EdgeOverruled { key } = "`{key}` is set in the environment or on the command line, which comes before the settings file: take it out there, then restart Porchlight and try again"
        log "`{key}` is set in the environment or by --set, above the settings file, which this changes: take it out there, and run this again",
    EdgeHoldsPictures { count } = "pictures that only the Worker keeps: {count}. Move them to this disk first",
    EdgeNoToken = "there is no token: paste one",
    EdgeTokenUnkept = "the keyring did not take the token, so it is forgotten",
    EdgeNoKey = "there is no key yet: save the Worker’s files first",
    TunnelFails { why } = "the tunnel: {why}",
    NoFile { path } = "there is no file {path}",
    ProgramIsFolder { path } = "{path} is a folder: choose the program in it",
    NotExecutable { path } = "{path} may not be started: it is not marked as a program (chmod +x)",
    CannotLookAt { path, why } = "{path} cannot be looked at: {why}",
    PortInUse { address } = "{address} is in use by another program: stop that one, or choose another port (0 takes a free one)"
        log "{address} is in use by another program: stop it, or choose another port with --listen or server.listen (port 0 takes a free one)",
    TunnelPortInUse { address } = "{address} is in use by another program: stop it, or choose another port with tunnel.port",
    CannotListen { address, why } = "cannot listen on {address}: {why}",
    StoppedListening { address } = "it stopped listening on {address}; the log says more",
    EditorsPort { port, why } = "port {port} can’t be used ({why}). PicGo may be running: quit it, or choose another port in Settings, Editors"
        log "editors cannot upload: port {port} cannot be listened on ({why}); PicGo itself may have it: stop that, or choose another `picgo.port`",
    EditorsSecret { why } = "editors cannot upload: their secret cannot be kept ({why})",
    EditorsOff = "editors cannot upload now: turn on “Accept pictures from editors” first"
        log "editors cannot upload now: nothing listens for them",
    NoInstallLine { program } = "no one line installs {program} everywhere",
    NothingToInstall = "nothing has to be installed",
    // Devices.
    NoSuchDevice = "there is no such device any more",
    NoDeviceName = "a device needs a name of 1 to 64 characters",
    // Tokens.
    NoSuchToken = "there is no such token any more",
    TokenNameTaken { name } = "a token named {name} is there already: choose another name, or revoke that one first",
    NoTokenName = "a token needs a name of 1 to 100 characters, none of them a control character",
    NoRandomNumbers { why } = "this machine gives no random numbers: {why}",
    // Sensors.
    NoDisplay = "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set",
    X11Fails { why } = "the X11 display cannot be asked: {why}",
    X11NoForeground = "the window manager does not say which window is in front",
    X11NoIdle = "the X11 server has no idle counter (MIT-SCREEN-SAVER)",
    WaylandNoForeground = "this Wayland compositor does not offer it (wlr-foreign-toplevel-management)",
    WaylandNoIdle = "this Wayland compositor does not offer it (ext-idle-notify)",
    WaylandFails { why } = "the Wayland compositor cannot be asked: {why}",
    WaylandStopped = "the compositor no longer reports windows",
    NoKwinEither { why } = "{why}, and there is neither KWin nor GNOME Shell to be asked",
    GnomeNeedsSwitch { extension } = "GNOME reports no app to Porchlight while the extension {extension} is off"
        log "GNOME Shell's extension is off: gnome-extensions enable {extension}",
    GnomeNeedsLogin { extension } = "GNOME will know the extension {extension} after your next login"
        log "GNOME Shell will know the extension {extension} after the next login",
    GnomeNoExtension { extension } = "GNOME needs the extension {extension}, which Porchlight’s packages install; it isn’t installed here",
    GnomeTooOld { version } = "Porchlight’s extension needs GNOME 42 or newer; this is GNOME {version}",
    GnomeExtensionsOff = "GNOME’s extensions are all turned off. Turn them on in the app Extensions"
        log "GNOME Shell's extensions are all turned off: gsettings set org.gnome.shell disable-user-extensions false",
    GnomeRejects { extension, why } = "GNOME does not run the extension {extension}: {why}",
    GnomeNoReason = "it gives no reason; the extension may be made for other versions of GNOME",
    GnomeSilent = "GNOME’s extension has reported nothing yet; another Porchlight of this session may be getting its reports",
    SessionBusFails { why } = "the session bus cannot be asked ({why})",
    NoScreenSaver = "no screen saver is on the session bus",
    LogindFails { why } = "logind cannot be asked ({why})",
    NoLogindSession { why } = "logind knows no session of yours ({why})",
    BusGone = "the bus has gone away",
    NotOnThisSystem = "Porchlight has no way to ask on this system yet",
    OnlyInTheTrayApp = "macOS answers only the tray app, not `porchlight serve`",
    NoThread { why } = "there is no thread for it: {why}",
    // The shortcut.
    KeysTaken = "Another program has these keys already, or your keyboard lacks them.",
    NoPortal = "Your desktop doesn’t let apps set shortcuts. Add one in its keyboard settings that runs: porchlight --upload-clipboard",
    PortalNeedsMenuEntry = "Your desktop allows shortcuts only for apps in its menu: turn on “Show in applications menu” here.",
    PortalDenied = "Your desktop didn’t assign these keys because the request was declined. Clear them and choose again to be asked once more.",
    PortalHasNoKeys = "No keys are set yet: choose them in your desktop’s keyboard settings, under Porchlight.",
    PortalGone = "The desktop's portal has gone, and the keys with it. They are asked for again when it is back.",
    PortalTookKeysBack = "The desktop has taken the keys back. Take them out here and choose them again to ask for them.",
    PortalRefuses = "The desktop's portal does not give these keys.",
    PortalFails { why } = "The desktop's portal gives no keys: {why}.",
    // The clipboard, entries, folders and files.
    NoClipboard { why } = "there is no clipboard: {why}",
    NoPictureOnClipboard = "there is no picture on the clipboard",
    ClipboardUnreadable { why } = "the clipboard could not be read: {why}",
    ClipboardImageUnfit { width, height } = "an image of {width} × {height} cannot be sent on",
    ClipboardUnwritable { why } = "it cannot be put on the clipboard: {why}",
    NoEntries = "there are no such entries on this system",
    EntryName { path } = "{path} has a name that cannot stand in an entry",
    EntryTooLong { most } = "Windows starts nothing at login by a command of more than {most} characters: move the data folder or the program to a shorter path",
    EntryUnwritable { path, why } = "the entry {path} cannot be changed: {why}",
    CannotOpen { path, why } = "{path} cannot be opened: {why}",
    CannotWrite { path, why } = "{path} cannot be written: {why}",
    NotUtf8 { path } = "{path} is no UTF-8: choose another one",
    LogUnreadable { why } = "the log cannot be read: {why}",
    // Watched folders and the upload queue.
    FileChanged = "the file changed while it was sent",
    NotConfirmed = "the service does not confirm that it has the picture, so the file stays",
    FileEmpty = "the file is empty",
    FileUnreadable { why } = "Porchlight may not read this file ({why}). Change its permissions, then retry",
    NotWatched = "no folder is watched",
    WatchFails { why } = "no folder is watched: {why}",
    NoFolder = "it is no folder",
    OnANetwork = "it is on a network",
    AsTheSettingsSay = "as the settings say",
    TooManyWatches = "the system watches no more folders (fs.inotify.max_user_watches)",
    NoFileEvents { why } = "the system does not report file changes: {why}",
    QueueHeld { folder } = "another Porchlight watches folders with {folder}: quit that one first"
        log "another Porchlight watches folders with {folder}: stop that one, or name another folder with --data-dir",
    CannotUse { folder, why } = "{folder} cannot be used: {why}",
    QueueBroken { file, why } = "{file} cannot be opened ({why}): move it away and restart. Watched folders are then scanned again, pasted images are queued again, and files that were dropped must be added again",
    QueueFails { why } = "what waits to be uploaded cannot be written down: {why}",
    // Stored pictures.
    ImageGone { hash } = "{hash} was deleted in this moment",
    NoRendition { hash, why } = "no narrower copy of {hash} could be made: {why}",
    NoSuchPicture = "there is no such picture any more",
    NoPictureNamed = "no picture was named",
    TooManyToDelete { most } = "at most {most} pictures can be deleted at once",
    TooManyLinks { most } = "at most {most} links can be copied at once",
    RangeReversed = "the range ends before it begins",
    NoRange = "a range is given by 2 to 400 times, each later than the one before",
    // The database.
    DatabaseNewer { file } = "{file} was written by a newer version of Porchlight: install that version"
        log "{file} was written by a newer version of Porchlight: install that version, or choose another data folder",
    DatabaseOlder { file } = "{file} was written by an older version of Porchlight: start Porchlight once to bring it up to date",
    DatabaseDamaged { file, why } = "{file} is damaged or no Porchlight database ({why}): move it away or bring a backup back; nothing was changed",
    DatabaseLocked { file } = "{file} is locked by another program: close that program and start again",
    DatabaseUnopened { file, why } = "{file} cannot be opened ({why}): check that the folder exists and may be written, and that the disk has room",
    DatabaseFull { why } = "the database has no room to grow: {why}",
    DatabaseFails { why } = "Porchlight’s database failed: {why}",
    DatabasePanicked = "an error in Porchlight stopped it; see the log",
    DatabaseClosed = "the database is closed",
    // Storage.
    TooManyObjects { count } = "it lists more than {count} objects",
    SnapshotStays { why } = "what was published stays in the object store until it can be removed: {why}",
    NoRoom { why } = "there is no room left: {why}",
    ObjectMissing { name } = "{name} is missing",
    FolderUnusable { folder, why } = "the folder {folder} cannot be used ({why}): check that it may be written",
    StoreUnset { name } = "{name} is not set",
    StoreUndescribed { why } = "pictures go to an object store, but {why}"
        log "`storage.kind` wants an object store, but {why}",
    ImagesElsewhere { count } = "{count} of the pictures are in an object store, but the settings do not say where: fill in its address, bucket and keys under Storage; then the pictures can be moved back to the disk"
        log "{count} of the images are in an object store, but `storage.endpoint`, `storage.bucket`, `storage.access_key` and `storage.secret_key` do not say where: set them; `porchlight storage move --to disk` brings the images back",
    ImagesAtTheWorker { count } = "{count} of the pictures are at the Worker, but the settings do not say where: fill in its address and key; then the pictures can be moved back to the disk"
        log "{count} of the images are at the Worker, but `edge.url` and `edge.secret` do not say where: set them; `porchlight storage move --to disk` brings the images back",
    NoObjectStore = "the settings describe no object store",
    DiskWorkerFails { why } = "a disk worker broke: {why}",
    DiskFails { what, path, why } = "Porchlight cannot {what} {path}: {why}",
    StoreSlow { what, name, seconds } = "the object store did not {what} {name} within {seconds} seconds",
    StoreFails { what, name, why } = "the object store did not {what} {name}: {why}",
    StoreUnlisted { folder, why } = "the object store did not list {folder}/: {why}",
    StoreTooLarge { bytes, name } = "the object store announces {bytes} bytes for {name}: no stored image is that large",
    NoAnswerInTime = "no answer came in time",
    CannotSetAside { name, why } = "{name} cannot be set aside: {why}",
    SizeDiffers { name, there, size } = "{name} has {there} bytes where {size} were stored",
    StoreNotPublic { address, status } = "{address} answers with status {status}: the bucket can’t be read by everybody there",
    StoreElsewhere { address } = "{address} answers with something else than what was written: it is not the public address of this bucket",
    StoreWrongType { address, given } = "{address} was stored as text/plain and comes as {given}",
    StoreNoCors { address } = "{address} comes without Access-Control-Allow-Origin: pages of other sites can’t read it",
    StoreAnswered { answer } = "it answered {answer}",
    StoreNotUnderstood = "its answer cannot be understood",
    EdgeDaySpent { until } = "the free plan’s limit of the day is reached: it works again from {until}",
    EdgeClockOff { seconds } = "this computer’s clock is {seconds} seconds off: set it right",
    StoreUnreachable = "the storage can’t be reached",
    StoreTookTooLong = "the storage took too long to answer",
    StoreBrokeOff = "the connection broke off",
    // What was tried in storage.
    ToRead = "read",
    ToWrite = "write",
    ToTouch = "touch",
    ToRemove = "remove",
    ToMoveAside = "move aside",
    ToLookAt = "look at",
    ToLookThrough = "look through",
    ToTake = "take",
    ToTellAbout = "tell about",
    ToGive = "give",
    ToDelete = "delete",
    // Backups, checks, restores and moves.
    Busy = "something else is being done to the data folder: wait until that is over",
    StorageChanged = "the settings of the storage were changed and count from the next start: restart Porchlight, and then move the pictures",
    MoveStopped { why } = "{why}. What was moved is in order where it is: do it again to go on.",
    LeftBehind { count } = "{count} of them are still where they were, too: keep that storage in the settings until they are gone",
    StorageOverruled { kind } = "the environment or the command line still says otherwise: set `storage.kind` to \"{kind}\" there, too, or new pictures will not go where the others are"
        log "the environment or --set still says otherwise: set `storage.kind` to \"{kind}\" there, too, or new images will not go where the others are",
    CameBackDifferent { hash } = "{hash}.webp was written to its new place and came back as something else",
    StoresAreOne = "the Worker keeps its images in the bucket of the object store: there is nothing to move. Set `storage.kind`, or take the bucket out of the Worker first",
    SourceUnreadable { why } = "the pictures cannot be read where they are: {why}",
    AndMore { count } = "and {count} more",
    FaultDatabase { why } = "the database is damaged: {why}",
    FaultMissing { hash } = "{hash}.webp is missing",
    FaultWrong { hash } = "{hash}.webp is not what was stored",
    FaultUnreadable { hash, why } = "{hash}.webp cannot be read: {why}",
    FaultTooLarge { hash, bytes } = "{hash}.webp has {bytes} bytes, more than the Worker takes: it stays where it is",
    FaultOrphan { name } = "{name} is not in the database",
    ManyMissing { missing, of } = "{missing} of {of} pictures are missing, so nothing was changed: is a disk not mounted, or is another bucket set?"
        log "{missing} of {of} images are missing: the disk that they are on may not be mounted, or the settings may name another bucket. Nothing was changed. If the images are lost, repair again with --missing-is-lost, which removes their rows",
    AtTheWorker { name } = "{name} at the Worker",
    InObjectStore { name } = "{name} in the object store",
    NothingThere { folder } = "there is no Porchlight in {folder} yet",
    BackupExists { file } = "{file} is there already: choose another name"
        log "{file} is there already: choose another name, or say --force",
    FolderNotEmpty { folder, name } = "{folder} is not empty, there is {name}: a backup is only restored to an empty folder",
    NoBackup { file, why } = "{file} is no backup that can be restored: {why}; nothing was restored",
    BackupNoPlainFile { path } = "{path} in it is no plain file",
    BackupTwice { path } = "{path} is in it twice",
    BackupTooLarge { path } = "{path} in it is too large",
    BackupTooMany { count } = "there are more than {count} files in it",
    BackupAfterEnd { path } = "{path} comes after its end",
    BackupStart = "it does not begin as a backup does",
    BackupNewer { version } = "it is of Porchlight {version}, and newer",
    BackupForeign { path } = "{path} belongs in no backup",
    BackupCutShort = "it was cut short",
    BackupNoDatabase = "there is no database in it",
    BackupChanged = "what is in it is not what was put in",
    BackupDatabaseFails { why } = "its database: {why}",
    BackupDatabase = "its database",
    BackupSchema { name } = "its database has a foreign schema: {name}",
    NotRestorable { name } = "this backup cannot be restored, since {name} in the database is not Porchlight's: remove it and take another backup",
    BackupMissing { name } = "{name} is missing in it",
    BackupWrong { name } = "{name} in it is not what was stored",
    BackupRowless = "there are pictures in it that its database does not know",
    Cancelled = "cancelled",
    // Importing from another server.
    ImportList { server, why } = "the list of pictures at {server} couldn’t be read: {why}",
    ImportStorage { why } = "nothing can be stored: {why}",
    ImportUndated { count } = "pictures without a readable date, now dated today: {count}",
    ImportName = "its name is not 32 hexadecimal digits",
    ImportNameTaken = "another picture has this name here",
    ImportAddress { why } = "its address: {why}",
    ImportRedirect = "it redirects to something that is no web address",
    ImportRedirectPlain = "it redirects from https:// to http://",
    ImportRedirectPrivate = "it redirects to an address in a private network",
    ImportRedirects = "it redirects again and again",
    ImportEndless = "a page of it has no end",
    ImportNoList = "it answers with something that is no list of pictures",
    ImportStatus { status } = "it answers {status}",
    ImportSlow = "it does not answer in time",
    ImportTooMany { most } = "it has more than {most} pictures, or no end",
    ImportPage { number, why } = "page {number}: {why}",
    ImportCounts { total, shown } = "it counts {total} pictures and shows {shown}",
    ImportChanges = "it changes while it is read",
    PictureTooLarge = "the picture is too large",
    PictureUnsupported = "not a picture of a format that can be read",
    PictureBroken { why } = "the picture is damaged: {why}",
    // Steam.
    SteamKeyUnset = "the key of the Steam Web API is not set" log "game.steam_api_key is not set",
    SteamIdUnset = "the SteamID is not set" log "game.steam_id is not set",
    SteamAccountUnset = "the key of the Steam Web API and the SteamID are not set"
        log "game.steam_api_key and game.steam_id are not set",
    SteamKeyRefused { status } = "Steam doesn’t accept the key (error {status}): check it, or enter a new one"
        log "Steam refuses the key ({status}): check game.steam_api_key",
    SteamNoAccount = "Steam knows no such account: check the SteamID"
        log "Steam knows no such account: check game.steam_id",
    SteamTooManyCalls { status } = "Steam asks for fewer calls ({status})",
    SteamStatus { status } = "Steam answered with status {status}",
    SteamNotUnderstood = "Steam's answer was not understood",
    SteamPrivate = "the Steam profile is private, so Steam does not report the game: in its privacy settings make \"My profile\" and \"Game details\" public",
    SteamSilent { why } = "Steam {why}",
    NoSteamClient = "no Steam client was found on this machine",
    SteamClientMute = "on this system the Steam client does not report which game runs",
    ProcessesUnreadable = "the programs of this machine could not be looked at",
    NeitherSource { one, other } = "{one}, and {other}",
    SteamStoreSilent { why } = "the Steam store {why}",
    SteamStoreStatus { status } = "the Steam store answered with status {status}",
    SteamStoreNotUnderstood = "the Steam store's answer was not understood",
    NoAnswerWithin { seconds } = "did not answer within {seconds} seconds",
    CannotBeReached = "cannot be reached",
    BrokeOffAnswer = "broke off its answer",
    AnswerTooLong { most } = "answered with more than {most} MiB",
}

impl std::error::Error for Message {}
