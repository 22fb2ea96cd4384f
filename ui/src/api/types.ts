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
 * Whether the owner is at the program named here.
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
 * What a blog is pointed at: the public address, or the local one.
 */
url: string, 
/**
 * Whether `url` is reachable from the world, as far as the settings say.
 */
public: boolean, 
/**
 * The local port; `null` while the service is not listening.
 */
port: number | null, 
/**
 * Why it is not listening, in words, if so.
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
 * Milliseconds that the last look from outside took.
 */
roundTrip: number | null, } | { "state": "waiting", 
/**
 * What went wrong, in words.
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
 * What is wrong with the file that the settings name, in words.
 */
why: string | null, 
/**
 * The line that installs it, where there is one for all.
 */
install: string | null, } | { "state": "stopped", 
/**
 * Why, in words.
 */
why: string, };

export type FolderGlanceState = "new" | "watched" | "polled" | "missing";

export type FolderGlance = { 
/**
 * The folder.
 */
folder: string, 
/**
 * How it stands.
 */
state: FolderGlanceState, 
/**
 * Why it stands so, in words, if there is a reason.
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
 * Files that were set aside, because they can never work.
 */
setAside: number, 
/**
 * Names of files that are under way.
 */
underWay: Array<string>, 
/**
 * Why nothing goes out, in words; it is tried again by itself.
 */
trouble: string | null, };

export type EditorsGlance = { "state": "off" } | { "state": "listening", 
/**
 * The port on loopback.
 */
port: number, } | { "state": "trouble", 
/**
 * Why, in words.
 */
why: string, };

export type ReaderCount = { 
/**
 * Those that could be told apart.
 */
count: number, 
/**
 * Whether there were, or may have been, others; with a count of 0 nobody
 * knows how many there were.
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
 * What is wrong, in words that say what would be right.
 */
why: string, };

export type Home = { 
/**
 * What needs the owner, the gravest first.
 */
needs: Array<Need>, 
/**
 * The light.
 */
light: Light, 
/**
 * Whether it is fed.
 */
sharing: Sharing, 
/**
 * What is told of the owner.
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
 * What is told of the owner's game.
 */
game: GameGlance, 
/**
 * Pictures in all.
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
 * Of these calls, those that were answered with a picture.
 */
picturesServed: number, 
/**
 * Whether there is a tray; without one the window says how to come back.
 */
tray: boolean, 
/**
 * Whether the owner was welcomed already.
 */
welcomed: boolean, 
/**
 * Whether settings were changed that count from the next start.
 */
needsRestart: boolean, 
/**
 * What is wrong in the settings file, if it was edited and is not right.
 */
fileProblems: Array<FileProblem>, 
/**
 * The program's version.
 */
version: string, };

export type Need = { 
/**
 * What it is.
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
 * How often readers looked at it.
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
 * What the hash begins with: hexadecimal digits.
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
 * The pictures.
 */
hashes: Array<string>, 
/**
 * When they go.
 */
at: number, };

export type UploadTrouble = "unreadable" | "not_a_file" | "too_large" | "not_a_picture" | "too_many" | "broken" | "storage_full" | "storage";

export type UploadState = { "state": "waiting" } | { "state": "working", 
/**
 * How far it has come, from 0 to 1,000.
 */
permille: number, } | { "state": "done", 
/**
 * Its hash.
 */
hash: string, 
/**
 * Its public address.
 */
url: string, 
/**
 * Stored bytes.
 */
stored: number, } | { "state": "duplicate", 
/**
 * Its hash.
 */
hash: string, 
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
 * Its number in this run of the app.
 */
id: number, 
/**
 * The file's name, without its folder.
 */
name: string, 
/**
 * The source's bytes.
 */
size: number, } & ({ "state": "waiting" } | { "state": "working", 
/**
 * How far it has come, from 0 to 1,000.
 */
permille: number, } | { "state": "done", 
/**
 * Its hash.
 */
hash: string, 
/**
 * Its public address.
 */
url: string, 
/**
 * Stored bytes.
 */
stored: number, } | { "state": "duplicate", 
/**
 * Its hash.
 */
hash: string, 
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
 * Why, in words.
 */
reason: string, };

export type Saying = { 
/**
 * The program, or the owner's own words.
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
 * Whether the owner is at it.
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
 * `r,g,b,a`; empty for the lamp's own.
 */
rgba: string, };

export type Sense = "foreground" | "input" | "lock" | "sleep" | "media";

export type Lack = { 
/**
 * Which.
 */
sense: Sense, 
/**
 * Why, in words.
 */
why: string, };

export type Telling = { 
/**
 * Exactly what the next heartbeat says; `null` while none is posted.
 */
preview: Saying | null, 
/**
 * A pause, if there is one.
 */
pause: PauseGlance | null, 
/**
 * The owner's own words, if there are some.
 */
fixed: Status | null, 
/**
 * Why the owner counts as away, if so.
 */
away: AwayBecause | null, 
/**
 * Whether the window in front is one that is never told.
 */
hidden: boolean, 
/**
 * What this machine does not tell.
 */
lacks: Array<Lack>, 
/**
 * Why the last heartbeat was not taken, in words.
 */
trouble: string | null, 
/**
 * When it is tried again, while there is trouble and a wait.
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
 * Whether nothing is told of it.
 */
hide: boolean, };

export type Front = { 
/**
 * The names that its program goes by, the best first.
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
 * Why, in words.
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
 * What would be told; `null` where no window is known or a rule is wrong.
 */
verdict: Verdict | null, 
/**
 * What is wrong with the rules.
 */
problems: Array<RuleProblem>, };

export type PrivateKind = "passwords" | "banks" | "private_windows" | "lock_screens";

export type PrivateGroup = { 
/**
 * What they are.
 */
kind: PrivateKind, 
/**
 * Their names, or what is looked for in a title.
 */
names: Array<string>, };

export type PresencePage = { 
/**
 * What is told now.
 */
telling: Telling, 
/**
 * The last program in front that is not Porchlight.
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
 * What is never told.
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
 * The game, while one is told.
 */
game: string | null, 
/**
 * Where this came from; `null` where nobody could be asked.
 */
source: GameSource | null, 
/**
 * Why it is not told, if so.
 */
hidden: GameHidden | null, 
/**
 * Why nothing better is known, in words.
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
 * Whether the Steam client on this machine is asked.
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
 * Why, in words that say what to do. They hold no key.
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
 * The caller hung up before an answer.
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
 * The picture.
 */
picture: Picture, 
/**
 * How often it was looked at in that range.
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
 * The pictures that were looked at most on the days between the first and
 * the last of the given times, at most twelve.
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
 * The value that it has when nobody says anything.
 */
default: SettingValue, 
/**
 * A secret: it can be written, never read.
 */
secret: boolean, 
/**
 * Whether somebody has said something.
 */
set: boolean, 
/**
 * Who has the last word.
 */
layer: SettingLayer, 
/**
 * From when on a change counts.
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
 * Whether the app is started at login; `null` where that is not known.
 */
startsAtLogin: boolean | null, 
/**
 * Whether there is an entry in the menu of applications, and "upload with
 * Porchlight" for images; `null` where there is no such thing.
 */
menuEntry: boolean | null, 
/**
 * The keys that upload what was copied.
 */
shortcut: ShortcutGlance, 
/**
 * Whether settings were changed that count from the next start.
 */
needsRestart: boolean, 
/**
 * What is wrong in the settings file, if it was edited and is not right.
 */
fileProblems: Array<FileProblem>, 
/**
 * Where tokens and other secrets of the app are kept.
 */
secretsIn: SecretsIn, };

export type ShortcutGlance = { 
/**
 * Whether this desktop gives keys at all.
 */
possible: boolean, 
/**
 * Why there are none, or not those of the settings, in a sentence.
 */
trouble: string | null, 
/**
 * What the desktop calls the keys that it has given, where it chooses.
 */
given: string | null, };

export type SecretsIn = "keyring" | "file";

export type SettingProblem = { 
/**
 * `section.name`; empty where it is about more than one.
 */
key: string, 
/**
 * What is wrong, in words that say what would be right.
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
 * When, as it stands in the log.
 */
at: string, 
/**
 * `ERROR`, `WARN`, `INFO` or `DEBUG`.
 */
level: string, 
/**
 * What it says.
 */
text: string, };

export type WorkKind = "backup" | "check" | "repair" | "move" | "restore";

export type Work = { 
/**
 * What is being done.
 */
kind: WorkKind, 
/**
 * Pictures that are done.
 */
done: number, 
/**
 * Pictures in all, where that is known.
 */
of: number | null, };

export type WorkReport = { 
/**
 * What was done.
 */
kind: WorkKind, 
/**
 * Pictures that are as they should be, or were saved or moved.
 */
good: number, 
/**
 * What was found wrong, each in words; at most a hundred.
 */
wrong: Array<string>, 
/**
 * What was put right.
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
 * What came of the last work of each kind, the newest last.
 */
reports: Array<WorkReport>, };

