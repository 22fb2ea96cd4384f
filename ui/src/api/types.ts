// Made from crates/api by `cargo xtask types`. Do not edit.

/** What a setting can hold. */
export type SettingValue = string | number | boolean | null | SettingValue[] | { [key: string]: SettingValue };

export type ApiStat = { 
/**
 * The path of an endpoint.
 */
key: string, 
/**
 * Calls of it, ever.
 */
count: number, 
/**
 * When the last one came; `null` when there was none.
 */
lastUpdated: string | null, };

export type Sharing = "unasked" | "off" | "on" | "paused";

export type Light = { 
/**
 * Whether the last heartbeat is recent enough.
 */
alive: boolean, 
/**
 * Whether the owner is using this app now.
 */
online: boolean, 
/**
 * The program; empty when none was named.
 */
application: string, 
/**
 * A line about it.
 */
introduce: string, 
/**
 * `r,g,b,a`; empty when there is none.
 */
rgba: string, 
/**
 * Unix seconds; `null` before the first heartbeat.
 */
lastHeartbeat: number | null, 
/**
 * Since when readers see what they see now.
 */
since: number | null, 
/**
 * Why the last heartbeat could not be posted, if so.
 */
trouble: string | null, };

export type Address = { 
/**
 * The address for a blog: the public one, or the local one.
 */
url: string, 
/**
 * Whether `url` is publicly reachable, according to the settings.
 */
public: boolean, 
/**
 * The local port; `null` while the service is not listening.
 */
port: number | null, 
/**
 * Why it is not listening, as text, if so.
 */
trouble: string | null, };

export type TunnelGlance = { "state": "off" } | { "state": "starting" } | { "state": "checking", 
/**
 * The public address.
 */
address: string, } | { "state": "up", 
/**
 * The public address.
 */
address: string, 
/**
 * Since when it has led here without a break.
 */
since: number, 
/**
 * The latency of the last reachability probe, in milliseconds.
 */
roundTrip: number | null, } | { "state": "waiting", 
/**
 * The failure, as text.
 */
why: string, 
/**
 * When it is started again.
 */
nextTry: number, } | { "state": "missing", 
/**
 * The program's name, or the path of the file.
 */
program: string, 
/**
 * What is wrong with the configured file, as text.
 */
why: string | null, 
/**
 * The line that installs it, where there is one for all.
 */
install: string | null, } | { "state": "stopped", 
/**
 * Why, as text.
 */
why: string, };

export type FolderGlanceState = "new" | "watched" | "polled" | "missing";

export type FolderGlance = { 
/**
 * The folder.
 */
folder: string, 
/**
 * Its state.
 */
state: FolderGlanceState, 
/**
 * The reason of its state, as text, if there is one.
 */
why: string | null, };

export type WatchGlance = { 
/**
 * The folders; none when nothing is watched.
 */
folders: Array<FolderGlance>, 
/**
 * Nothing is uploaded for now.
 */
paused: boolean, 
/**
 * Files that wait to be uploaded.
 */
waiting: number, 
/**
 * Files that were set aside, because they can never be uploaded.
 */
setAside: number, 
/**
 * Names of files being uploaded.
 */
underWay: Array<string>, 
/**
 * Why nothing is uploaded, as text; it is retried automatically.
 */
trouble: string | null, };

export type EditorsGlance = { "state": "off" } | { "state": "listening", 
/**
 * The port on loopback.
 */
port: number, } | { "state": "trouble", 
/**
 * Why, as text.
 */
why: string, };

export type ReaderCount = { 
/**
 * Distinct readers.
 */
count: number, 
/**
 * Whether there were, or may have been, others; with a count of 0 their
 * number is unknown.
 */
more: boolean, };

export type FileProblem = { 
/**
 * The line, where it is one; the first is 1.
 */
line: number | null, 
/**
 * `section.name`, where it is about one setting.
 */
key: string | null, 
/**
 * What is wrong, with what would be right.
 */
why: string, };

export type Home = { 
/**
 * The alerts, the most severe first.
 */
needs: Array<Need>, 
/**
 * Presence as readers see it.
 */
light: Light, 
/**
 * Whether presence is shared.
 */
sharing: Sharing, 
/**
 * The status of presence reporting.
 */
telling: Telling, 
/**
 * Where the blog finds it.
 */
address: Address, 
/**
 * The tunnel.
 */
tunnel: TunnelGlance, 
/**
 * The watched folders.
 */
watching: WatchGlance, 
/**
 * The upload server for editors.
 */
editors: EditorsGlance, 
/**
 * The game status.
 */
game: GameGlance, 
/**
 * Images in all.
 */
pictureCount: number, 
/**
 * The newest twelve.
 */
newest: Array<Picture>, 
/**
 * Readers since midnight.
 */
readersToday: ReaderCount, 
/**
 * Calls in each of the last 24 hours, the running hour last.
 */
callsByHour: Array<number>, 
/**
 * Of these calls, those that were answered with an image.
 */
picturesServed: number, 
/**
 * Whether there is a tray; without one the window explains how to reopen
 * it.
 */
tray: boolean, 
/**
 * Whether the welcome was shown already.
 */
welcomed: boolean, 
/**
 * Whether changed settings take effect only after a restart.
 */
needsRestart: boolean, 
/**
 * Errors in the settings file, if it was edited and is invalid.
 */
fileProblems: Array<FileProblem>, 
/**
 * The program's version.
 */
version: string, };

export type Need = { 
/**
 * Its kind.
 */
what: NeedOf, 
/**
 * Where it is dealt with.
 */
place: NeedPlace, };

export type NeedOf = { "of": "service" } | { "of": "heartbeats" } | { "of": "tunnel_missing", 
/**
 * Its name.
 */
program: string, } | { "of": "tunnel_stopped" } | { "of": "tunnel_down" } | { "of": "folder_missing", 
/**
 * The folder.
 */
folder: string, } | { "of": "outbox" } | { "of": "editors" } | { "of": "failed_uploads", 
/**
 * How many.
 */
count: number, } | { "of": "set_aside", 
/**
 * How many.
 */
count: number, } | { "of": "snapshot" } | { "of": "snapshot_of_another" } | { "of": "plain_tunnel" } | { "of": "images_on_disk", 
/**
 * How many.
 */
count: number, } | { "of": "settings_file", 
/**
 * The first thing that is.
 */
problem: FileProblem, } | { "of": "restart" };

export type NeedPlace = "home" | "images" | "settings";

export type Picture = { 
/**
 * Its hash.
 */
hash: string, 
/**
 * Pixels across.
 */
width: number, 
/**
 * Pixels down.
 */
height: number, 
/**
 * Stored bytes.
 */
size: number, 
/**
 * Bytes of the file as it came.
 */
sourceSize: number, 
/**
 * The format that it came in, such as `jpeg`.
 */
sourceFormat: string, 
/**
 * More than one frame.
 */
animated: boolean, 
/**
 * How often readers viewed it.
 */
views: number, 
/**
 * Unix milliseconds.
 */
createdAt: number, 
/**
 * Its public address.
 */
url: string, };

export type ImageSearch = { 
/**
 * The prefix of the hash: hexadecimal digits.
 */
hash: string | null, 
/**
 * Stored at this time or later.
 */
from: number | null, 
/**
 * Stored before this time.
 */
to: number | null, };

export type ImagePage = { 
/**
 * How many there are, of those that are wanted.
 */
total: number, 
/**
 * Those from the wanted place on.
 */
images: Array<Picture>, };

export type LinkForm = "own" | "url" | "markdown" | "html" | "bbcode";

export type Removal = { 
/**
 * Its number in this run of the app.
 */
id: number, 
/**
 * The images.
 */
hashes: Array<string>, 
/**
 * When they go.
 */
at: number, };

export type UploadTrouble = "unreadable" | "not_a_file" | "too_large" | "not_a_picture" | "too_many" | "broken" | "storage_full" | "storage";

export type UploadState = { "state": "waiting", 
/**
 * Why it was not uploaded yet, in a sentence; it is retried.
 */
why?: string, } | { "state": "working", 
/**
 * How far it has come, from 0 to 1,000.
 */
permille: number, } | { "state": "done", 
/**
 * Its hash; `null` where another service stores it.
 */
hash: string | null, 
/**
 * Its public address.
 */
url: string, 
/**
 * Stored bytes; `null` where they are not known.
 */
stored: number | null, } | { "state": "duplicate", 
/**
 * Its hash; `null` where another service stores it.
 */
hash: string | null, 
/**
 * Its public address.
 */
url: string, } | { "state": "failed", 
/**
 * Why.
 */
trouble: UploadTrouble, };

export type Upload = { 
/**
 * Its number in the upload queue. Later ones have higher numbers.
 */
id: number, 
/**
 * The file's name, without its folder.
 */
name: string, 
/**
 * The source's bytes.
 */
size: number, } & ({ "state": "waiting", 
/**
 * Why it was not uploaded yet, in a sentence; it is retried.
 */
why?: string, } | { "state": "working", 
/**
 * How far it has come, from 0 to 1,000.
 */
permille: number, } | { "state": "done", 
/**
 * Its hash; `null` where another service stores it.
 */
hash: string | null, 
/**
 * Its public address.
 */
url: string, 
/**
 * Stored bytes; `null` where they are not known.
 */
stored: number | null, } | { "state": "duplicate", 
/**
 * Its hash; `null` where another service stores it.
 */
hash: string | null, 
/**
 * Its public address.
 */
url: string, } | { "state": "failed", 
/**
 * Why.
 */
trouble: UploadTrouble, });

export type SetAsideFile = { 
/**
 * Its number.
 */
id: number, 
/**
 * The file's name, without its folder.
 */
name: string, 
/**
 * Its folder.
 */
folder: string, 
/**
 * Why, as text.
 */
reason: string, };

export type Saying = { 
/**
 * The app, or the fixed status.
 */
application: string, 
/**
 * A line about it.
 */
introduce: string, 
/**
 * `r,g,b,a`; empty when there is none.
 */
rgba: string, 
/**
 * Whether the owner is using it now.
 */
online: boolean, };

export type AwayBecause = "idle" | "locked" | "asleep";

export type PauseFor = "half_an_hour" | "until_tomorrow" | "until_resumed";

export type PauseGlance = { 
/**
 * When it ends by itself; `null` for never.
 */
until: number | null, };

export type Status = { 
/**
 * In place of the program's name; at most 200 characters.
 */
application: string, 
/**
 * The line about it; at most 2,000 characters.
 */
introduce: string, 
/**
 * `r,g,b,a`; empty for the default.
 */
rgba: string, };

export type Sense = "foreground" | "input" | "lock" | "sleep" | "media";

export type Lack = { 
/**
 * Which.
 */
sense: Sense, 
/**
 * Why, as text.
 */
why: string, };

export type Telling = { 
/**
 * The exact content of the next heartbeat; `null` while none is sent.
 */
preview: Saying | null, 
/**
 * A pause, if there is one.
 */
pause: PauseGlance | null, 
/**
 * The fixed status, if any.
 */
fixed: Status | null, 
/**
 * Why the owner counts as away, if so.
 */
away: AwayBecause | null, 
/**
 * Whether the foreground window is one that is never shared.
 */
hidden: boolean, 
/**
 * The sensors that are unavailable.
 */
lacks: Array<Lack>, 
/**
 * Why the last heartbeat failed, as text.
 */
trouble: string | null, 
/**
 * When it is retried, while there is trouble and a wait.
 */
nextTry: number | null, };

export type RuleText = { 
/**
 * The program: plain text, or `/a regular expression/`; `null` for any.
 */
program: string | null, 
/**
 * The window's title, likewise.
 */
title: string | null, 
/**
 * What the program is called instead.
 */
name: string | null, 
/**
 * The line about it.
 */
introduce: string | null, 
/**
 * Its colour, `r,g,b,a`.
 */
rgba: string | null, 
/**
 * Whether it is hidden.
 */
hide: boolean, };

export type Front = { 
/**
 * The names of its program, the best first.
 */
names: Array<string>, 
/**
 * The window's title.
 */
title: string, };

export type Verdict = { "told": "private" } | { "told": "hidden" } | { "told": "shown", 
/**
 * The program.
 */
application: string, 
/**
 * A line about it.
 */
introduce: string, 
/**
 * `r,g,b,a`.
 */
rgba: string, };

export type RuleProblem = { 
/**
 * Which, from 0.
 */
rule: number, 
/**
 * Why, as text.
 */
why: string, };

export type Trial = { 
/**
 * It; `null` where none is known.
 */
front: Front | null, 
/**
 * The rule that matches, from 0.
 */
rule: number | null, 
/**
 * What would be shared; `null` where no window is known or a rule is
 * invalid.
 */
verdict: Verdict | null, 
/**
 * What is wrong with the rules.
 */
problems: Array<RuleProblem>, };

export type PrivateKind = "passwords" | "banks" | "private_windows" | "lock_screens";

export type PrivateGroup = { 
/**
 * Their kind.
 */
kind: PrivateKind, 
/**
 * Their names, or the text searched for in a title.
 */
names: Array<string>, };

export type PresencePage = { 
/**
 * The current state of presence reporting.
 */
telling: Telling, 
/**
 * The last foreground app that is not Porchlight.
 */
front: Front | null, 
/**
 * The owner's rules, in their order.
 */
rules: Array<RuleText>, 
/**
 * How many programs are known without a rule.
 */
builtIn: number, 
/**
 * What is never shared.
 */
private: Array<PrivateGroup>, 
/**
 * For how many days the past is kept.
 */
historyDays: number, };

export type Stretch = { 
/**
 * When it began.
 */
from: number, 
/**
 * When it ended.
 */
to: number, 
/**
 * What they saw.
 */
saying: Saying, };

export type GameSource = "client" | "web_api";

export type GameHidden = "not_shared" | "paused" | "private";

export type GameGlance = { 
/**
 * `在线`, `在游戏中` or `离线`, as the blog reads it.
 */
status: string, 
/**
 * The game, while one is shown.
 */
game: string | null, 
/**
 * The source; `null` where none is available.
 */
source: GameSource | null, 
/**
 * Why it is not shown, if so.
 */
hidden: GameHidden | null, 
/**
 * Why nothing better is known, as text.
 */
trouble: string | null, };

export type PlayedGame = { 
/**
 * Its number at Steam.
 */
appId: number, 
/**
 * Its name.
 */
name: string, 
/**
 * Minutes in the last two weeks.
 */
minutesLately: number | null, 
/**
 * Minutes ever.
 */
minutes: number | null, 
/**
 * When it was last played.
 */
lastPlayed: number | null, };

export type GameField = { 
/**
 * Its name in the answer.
 */
name: string, 
/**
 * Its value.
 */
value: string, };

export type GamePage = { 
/**
 * In short.
 */
glance: GameGlance, 
/**
 * What the blog reads, field by field.
 */
answer: Array<GameField>, 
/**
 * Recently played, the latest first.
 */
recent: Array<PlayedGame>, 
/**
 * Whether a Web API key is set.
 */
hasKey: boolean, 
/**
 * The SteamID, if set.
 */
steamId: string | null, 
/**
 * Whether the Steam client on this machine is queried.
 */
asksClient: boolean, 
/**
 * Where that client is installed, if it was found.
 */
clientFolder: string | null, };

export type GameTrial = { "state": "off" } | { "state": "answered", 
/**
 * The game that is running, if any.
 */
game: string | null, } | { "state": "failed", 
/**
 * Why, with what to do. The text contains no key.
 */
why: string, };

export type GameTrials = { 
/**
 * The Steam client on this machine.
 */
client: GameTrial, 
/**
 * The Steam Web API.
 */
webApi: GameTrial, };

export type Calls = { 
/**
 * 1xx and 2xx.
 */
good: number, 
/**
 * 3xx.
 */
redirected: number, 
/**
 * 4xx.
 */
refused: number, 
/**
 * 5xx.
 */
failed: number, 
/**
 * The client disconnected before a response.
 */
hungUp: number, };

export type PathCalls = { 
/**
 * The endpoint, such as `/i/{hash}`.
 */
key: string, 
/**
 * Its calls.
 */
calls: Calls, 
/**
 * When the last one came, ever.
 */
last: number | null, };

export type DayReaders = { 
/**
 * Its date, as days since that of the Unix epoch.
 */
day: number, 
/**
 * Its readers.
 */
readers: ReaderCount, };

export type TopPicture = { 
/**
 * The image.
 */
picture: Picture, 
/**
 * Its views in that range.
 */
views: number, };

export type StatisticsTable = "calls" | "views";

export type Statistics = { 
/**
 * Calls from each of the given times to the next one.
 */
steps: Array<Calls>, 
/**
 * Calls by endpoint, most called first.
 */
paths: Array<PathCalls>, 
/**
 * The days between the first and the last of the given times that had
 * readers, in their order.
 */
readers: Array<DayReaders>, 
/**
 * The most viewed images on the days between the first and the last of the
 * given times, at most twelve.
 */
top: Array<TopPicture>, 
/**
 * When the first call was counted.
 */
first: number | null, };

export type SettingLayer = "default" | "file" | "environment" | "command_line";

export type SettingCounts = "now" | "next_start";

export type Setting = { 
/**
 * `section.name`
 */
key: string, 
/**
 * Its value as JSON; `null` when unset, and always for a secret.
 */
value: SettingValue, 
/**
 * Its default value.
 */
default: SettingValue, 
/**
 * A secret: it can be written, never read.
 */
secret: boolean, 
/**
 * Whether it is set.
 */
set: boolean, 
/**
 * The layer that sets it.
 */
layer: SettingLayer, 
/**
 * When a change takes effect.
 */
counts: SettingCounts, };

export type SettingsPage = { 
/**
 * All of them.
 */
settings: Array<Setting>, 
/**
 * The settings file.
 */
file: string, 
/**
 * The data folder.
 */
folder: string, 
/**
 * Whether the app is started at login; `null` where that is unknown.
 */
startsAtLogin: boolean | null, 
/**
 * Whether there is an entry in the menu of applications, and "upload with
 * Porchlight" for images; `null` where there is no such thing.
 */
menuEntry: boolean | null, 
/**
 * The global shortcut that uploads the clipboard.
 */
shortcut: ShortcutGlance, 
/**
 * Whether changed settings take effect only after a restart.
 */
needsRestart: boolean, 
/**
 * Errors in the settings file, if it was edited and is invalid.
 */
fileProblems: Array<FileProblem>, 
/**
 * Where tokens and other secrets of the app are kept.
 */
secretsIn: SecretsIn, };

export type ShortcutGlance = { 
/**
 * Whether this desktop supports global shortcuts.
 */
possible: boolean, 
/**
 * Why there are none, or not those of the settings, in a sentence.
 */
trouble: string | null, 
/**
 * The desktop's name for the shortcut, where the desktop assigns it.
 */
given: string | null, };

export type SecretsIn = "keyring" | "file";

export type SettingProblem = { 
/**
 * `section.name`; empty where it is about more than one.
 */
key: string, 
/**
 * What is wrong, with what would be right.
 */
why: string, };

export type Appearance = { 
/**
 * `system`, `light` or `dark`.
 */
theme: string, 
/**
 * `system`, `en` or `zh`.
 */
language: string, 
/**
 * The language of the system, such as `zh-CN`.
 */
systemLanguage: string, };

export type TokenScope = "heartbeat" | "upload" | "admin";

export type TokenGlance = { 
/**
 * Its number.
 */
id: string, 
/**
 * Its name.
 */
name: string, 
/**
 * What it may do.
 */
scope: TokenScope, 
/**
 * When it was made.
 */
createdAt: number, 
/**
 * When it was last used.
 */
lastUsed: number | null, 
/**
 * Whether the app itself uses it.
 */
own: boolean, };

export type Editor = "share_x" | "curl" | "typora";

export type EditorSetup = { 
/**
 * The file that was written, if it was one; else it is on the clipboard.
 */
file: string | null, 
/**
 * The name of the token that it carries.
 */
token: string, };

export type LogLine = { 
/**
 * When, as written in the log.
 */
at: string, 
/**
 * `ERROR`, `WARN`, `INFO` or `DEBUG`.
 */
level: string, 
/**
 * Its text.
 */
text: string, };

export type WorkKind = "backup" | "check" | "repair" | "move" | "restore";

export type Work = { 
/**
 * What is being done.
 */
kind: WorkKind, 
/**
 * Images that are done.
 */
done: number, 
/**
 * Images in all, where that is known.
 */
of: number | null, };

export type WorkReport = { 
/**
 * What was done.
 */
kind: WorkKind, 
/**
 * Images that are intact, or were backed up or moved.
 */
good: number, 
/**
 * The faults, each as text; at most a hundred.
 */
wrong: Array<string>, 
/**
 * The repaired faults.
 */
mended: number, 
/**
 * The file that was written, if one was.
 */
file: string | null, 
/**
 * The secrets that are in that file, by their names.
 */
secrets: Array<string>, };

export type CareGlance = { 
/**
 * What is being done, if anything is.
 */
work: Work | null, 
/**
 * The last result of each kind of work, the newest last.
 */
reports: Array<WorkReport>, };

