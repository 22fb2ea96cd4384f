// Made from crates/service by `cargo xtask types`. Do not edit.

/** What a setting can hold. */
export type SettingValue = string | number | boolean | null | SettingValue[] | { [key: string]: SettingValue };

/** What to adopt: also from these hosts, also what only drafts use, also `srcset` and sizes in HTML. */
export type BlogChoice = { foreign: string[]; drafts: boolean; responsive: boolean };

export type Message = { "code": "text", "parameters": { text: Parameter, } } | { "code": "detail", "parameters": { text: Parameter, } } | { "code": "about", "parameters": { what: Parameter, why: Parameter, } } | { "code": "both", "parameters": { one: Parameter, other: Parameter, } } | { "code": "no_permission", "parameters": { text: Parameter, } } | { "code": "not_found", "parameters": { text: Parameter, } } | { "code": "connection_refused", "parameters": { text: Parameter, } } | { "code": "no_network", "parameters": { text: Parameter, } } | { "code": "address_in_use", "parameters": { text: Parameter, } } | { "code": "read_only", "parameters": { text: Parameter, } } | { "code": "disk_full", "parameters": { text: Parameter, } } | { "code": "timed_out", "parameters": { text: Parameter, } } | { "code": "settings", "parameters": { why: Parameter, } } | { "code": "out_of_bounds", "parameters": { value: Parameter, min: Parameter, max: Parameter, } } | { "code": "no_web_address", "parameters": { given: Parameter, } } | { "code": "no_network_address", "parameters": { given: Parameter, } } | { "code": "no_full_path", "parameters": { path: Parameter, } } | { "code": "no_expression", "parameters": { given: Parameter, why: Parameter, } } | { "code": "no_steam_id" } | { "code": "no_colour" } | { "code": "no_template" } | { "code": "no_shortcut" } | { "code": "bare_shortcut" } | { "code": "saved_but", "parameters": { why: Parameter, } } | { "code": "settings_unreadable", "parameters": { file: Parameter, why: Parameter, } } | { "code": "declined" } | { "code": "status_too_long" } | { "code": "listen_needs_proxy", "parameters": { address: Parameter, } } | { "code": "service_silent", "parameters": { address: Parameter, why: Parameter, } } | { "code": "token_refused" } | { "code": "not_our_service", "parameters": { status: Parameter, } } | { "code": "asked_to_wait" } | { "code": "image_too_large", "parameters": { status: Parameter, text: Parameter, } } | { "code": "too_large", "parameters": { status: Parameter, text: Parameter, } } | { "code": "unsupported_format", "parameters": { status: Parameter, text: Parameter, } } | { "code": "damaged_picture", "parameters": { status: Parameter, text: Parameter, } } | { "code": "service_full", "parameters": { status: Parameter, text: Parameter, } } | { "code": "service_failed", "parameters": { status: Parameter, text: Parameter, } } | { "code": "service_busy", "parameters": { status: Parameter, text: Parameter, } } | { "code": "did_not_start", "parameters": { program: Parameter, why: Parameter, } } | { "code": "program_ended", "parameters": { program: Parameter, how: Parameter, last: Parameter, } } | { "code": "address_silent", "parameters": { address: Parameter, why: Parameter, } } | { "code": "address_answers", "parameters": { address: Parameter, status: Parameter, } } | { "code": "address_elsewhere", "parameters": { address: Parameter, } } | { "code": "cloudflare_token", "parameters": { why: Parameter, } } | { "code": "cloudflare_permission", "parameters": { why: Parameter, } } | { "code": "cloudflare_name_taken" } | { "code": "cloudflare_r2_off" } | { "code": "edge_no_account" } | { "code": "edge_accounts", "parameters": { accounts: Parameter, } } | { "code": "edge_needs_subdomain" } | { "code": "edge_holds_pictures", "parameters": { count: Parameter, } } | { "code": "port_in_use", "parameters": { address: Parameter, } } | { "code": "editors_port", "parameters": { port: Parameter, why: Parameter, } } | { "code": "token_name_taken", "parameters": { name: Parameter, } } | { "code": "wayland_no_foreground" } | { "code": "gnome_needs_switch", "parameters": { extension: Parameter, } } | { "code": "gnome_needs_login", "parameters": { extension: Parameter, } } | { "code": "gnome_extensions_off" } | { "code": "gnome_no_extension", "parameters": { extension: Parameter, } } | { "code": "keys_taken" } | { "code": "no_portal" } | { "code": "portal_needs_menu_entry" } | { "code": "no_picture_on_clipboard" } | { "code": "file_changed" } | { "code": "file_empty" } | { "code": "file_unreadable", "parameters": { why: Parameter, } } | { "code": "data_folder_held", "parameters": { folder: Parameter, process: Parameter, } } | { "code": "database_newer", "parameters": { file: Parameter, } } | { "code": "database_damaged", "parameters": { file: Parameter, why: Parameter, } } | { "code": "store_not_public", "parameters": { address: Parameter, status: Parameter, } } | { "code": "store_wrong_type", "parameters": { address: Parameter, given: Parameter, } } | { "code": "store_no_cors", "parameters": { address: Parameter, } } | { "code": "edge_day_spent", "parameters": { until: Parameter, } } | { "code": "busy" } | { "code": "many_missing", "parameters": { missing: Parameter, of: Parameter, } } | { "code": "cancelled" } | { "code": "steam_key_refused", "parameters": { status: Parameter, } } | { "code": "steam_private" };

export type Parameter = number | Message | string;

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
trouble: Message | null, };

export type AddressKind = "permanent" | "temporary" | "local";

export type Address = { 
/**
 * The address for a blog: the public one, or the local one.
 */
url: string, 
/**
 * How long `url` leads here, and for whom.
 */
kind: AddressKind, 
/**
 * Whether it is `server.public_url`, and led here when that was last tried.
 */
reached: boolean, 
/**
 * The local port; `null` while the service is not listening.
 */
port: number | null, 
/**
 * Why it is not listening, if so.
 */
trouble: Message | null, };

export type LinkGlance = { 
/**
 * The form that they have; [`LinkForm::Own`] where it has no name.
 */
form: LinkForm, 
/**
 * Its text, with `{url}` for the address.
 */
template: string, };

export type Caches = { 
/**
 * That of a Worker at the edge.
 */
edge: boolean, 
/**
 * A CDN in front of the object store.
 */
store: boolean, };

export type TunnelState = { "state": "off" } | { "state": "starting" } | { "state": "checking", 
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
roundTrip: number | null, 
/**
 * A proxy on the way changes `Host`, so that pages of readers are refused.
 */
hostRewritten: boolean, } | { "state": "waiting", 
/**
 * The failure.
 */
why: Message, 
/**
 * When it is started again.
 */
nextTry: number, } | { "state": "missing", 
/**
 * The program's name, or the path of the file.
 */
program: string, 
/**
 * What is wrong with the configured file.
 */
why: Message | null, 
/**
 * The line that installs it, where there is one for all.
 */
install: string | null, } | { "state": "stopped", 
/**
 * Why.
 */
why: Message, };

export type FolderState = "new" | "watched" | "polled" | "missing";

export type FolderStatus = { 
/**
 * The folder, as the owner wrote it.
 */
folder: string, 
/**
 * Its state.
 */
state: FolderState, 
/**
 * Why it is polled or missing.
 */
why: Message | null, };

export type WatchStatus = { 
/**
 * The folders; none when nothing is watched.
 */
folders: Array<FolderStatus>, 
/**
 * Uploads are paused; files are still noticed.
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
 * Why nothing is uploaded; it is retried automatically.
 */
trouble: Message | null, };

export type EditorsGlance = { "state": "off" } | { "state": "listening", 
/**
 * The port on loopback.
 */
port: number, } | { "state": "trouble", 
/**
 * Why.
 */
why: Message, };

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
why: Message, };

export type Home = { 
/**
 * The alerts, the most severe first.
 */
alerts: Array<Alert>, 
/**
 * Presence as readers see it.
 */
light: Light, 
/**
 * Whether presence is shared.
 */
sharing: Sharing, 
/**
 * Whether a pause, or its end, is still being told to the Worker.
 */
settling: boolean, 
/**
 * The status of presence reporting.
 */
presence: PresenceNow, 
/**
 * The owner's devices.
 */
devices: DevicesGlance, 
/**
 * Where the blog finds it.
 */
address: Address, 
/**
 * How links are made.
 */
links: LinkGlance, 
/**
 * What can keep a deleted image.
 */
caches: Caches, 
/**
 * The tunnel.
 */
tunnel: TunnelState, 
/**
 * The address of the Worker.
 */
edge: EdgeGlance, 
/**
 * The watched folders.
 */
watching: WatchStatus, 
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
 * Whether the icon is in a tray; where it is not, the window explains how
 * to reopen it.
 */
tray: boolean, 
/**
 * Whether the welcome was shown already.
 */
welcomed: boolean, 
/**
 * Errors in the settings file, if it was edited and is invalid.
 */
fileProblems: Array<FileProblem>, 
/**
 * The program's version.
 */
version: string, };

export type Alert = { 
/**
 * Its kind.
 */
what: AlertKind, 
/**
 * Where it is dealt with.
 */
place: AlertPlace, };

export type AlertKind = { "of": "service" } | { "of": "data_on_network" } | { "of": "heartbeats" } | { "of": "waiting_devices", 
/**
 * How many.
 */
count: number, } | { "of": "tunnel_missing", 
/**
 * Its name.
 */
program: string, } | { "of": "tunnel_stopped" } | { "of": "tunnel_down" } | { "of": "folder_missing", 
/**
 * The folder.
 */
folder: string, } | { "of": "upload_queue" } | { "of": "editors" } | { "of": "failed_uploads", 
/**
 * How many.
 */
count: number, } | { "of": "set_aside", 
/**
 * How many.
 */
count: number, } | { "of": "edge" } | { "of": "edge_of_another" } | { "of": "host_rewritten" } | { "of": "clock" } | { "of": "plain_tunnel" } | { "of": "images_on_disk", 
/**
 * How many.
 */
count: number, } | { "of": "worker_day", 
/**
 * Whether it is reached; otherwise 70 % of it is used.
 */
spent: boolean, 
/**
 * When the day ends, in Unix milliseconds.
 */
until: number, } | { "of": "worker_outdated" } | { "of": "ip_file" } | { "of": "settings_file", 
/**
 * The first thing that is.
 */
problem: FileProblem, };

export type AlertPlace = "home" | "images" | "presence" | "settings";

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
url: string, 
/**
 * What its file was called, or the owner calls it. It is the alternative text of its links.
 */
name: string | null, 
/**
 * Its album.
 */
album: string | null, 
/**
 * How many posts use it; `None` where that is not known of all folders of posts, or none is set.
 */
posts: number | null, };

export type ImageSearch = { 
/**
 * The prefix of the hash: hexadecimal digits. With a name, one of both suffices.
 */
hash: string | null, 
/**
 * A part of the name, in any case.
 */
name: string | null, 
/**
 * Stored at this time or later.
 */
from: number | null, 
/**
 * Stored before this time.
 */
to: number | null, 
/**
 * What comes first.
 */
order: ImageOrder, 
/**
 * Only these.
 */
only: ImageFilter | null, 
/**
 * Only those in this album.
 */
album: string | null, };

export type ImagePage = { 
/**
 * How many there are, of those that are wanted.
 */
total: number, 
/**
 * Those from the wanted place on.
 */
images: Array<Picture>, };

export type ImageOrder = "newest" | "oldest" | "name" | "largest" | "views";

export type ImageFilter = "animated" | "unnamed" | "unseen" | "in_no_post";

export type ImageDay = { 
/**
 * A time on that day, in Unix milliseconds: that of its newest image.
 */
at: number, 
/**
 * How many there are.
 */
count: number, };

export type LinkForm = "own" | "url" | "markdown" | "html" | "responsive" | "bbcode";

export type Deletion = { 
/**
 * How many images were deleted.
 */
pictures: number, 
/**
 * Whether they can be put back.
 */
inTrash: boolean, };

export type DeletedPicture = { 
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
 * Its name.
 */
name: string | null, 
/**
 * Its album.
 */
album: string | null, 
/**
 * When it was stored, in Unix milliseconds.
 */
createdAt: number, 
/**
 * When it is removed from the trash, in Unix milliseconds.
 */
until: number, };

export type TrashPage = { 
/**
 * How many images are in it.
 */
total: number, 
/**
 * Those that were deleted last come first.
 */
pictures: Array<DeletedPicture>, };

export type PostsGlance = { 
/**
 * The folders of the setting.
 */
folders: Array<string>, 
/**
 * They are being read for the first time, or again.
 */
reading: boolean, 
/**
 * How many posts were read.
 */
posts: number, 
/**
 * Images that no post uses.
 */
unused: number, 
/**
 * References that lead to no image; at most 500.
 */
broken: Array<BrokenReference>, 
/**
 * How many there are.
 */
brokenTotal: number, 
/**
 * Posts and folders that could not be read.
 */
unread: Array<PostProblem>, };

export type BrokenReference = { 
/**
 * Where it is written.
 */
post: PostLine, 
/**
 * The address, as it is written.
 */
address: string, };

export type PostLine = { 
/**
 * Its folder, as an index into [`PostsGlance::folders`].
 */
folder: number, 
/**
 * The file, from the folder on.
 */
file: string, 
/**
 * The first line is 1.
 */
line: number, };

export type PictureUse = { 
/**
 * The image.
 */
hash: string, 
/**
 * The first line of each post with it; at most 50.
 */
posts: Array<PostLine>, };

export type BlogFound = { 
/**
 * The folder.
 */
folder: string, 
/**
 * How many posts were read.
 */
posts: number, 
/**
 * References to images in the folder.
 */
local: number, 
/**
 * References to other hosts.
 */
foreign: Array<ForeignHost>, 
/**
 * References to images that are not there, in the folder or here.
 */
missing: number, 
/**
 * References to files outside of the folder.
 */
outside: number, 
/**
 * References to images here.
 */
ours: number, 
/**
 * References in drafts.
 */
drafts: number, 
/**
 * Images of the folder that no post uses.
 */
unused: number, 
/**
 * Posts that could not be read.
 */
unread: Array<PostProblem>, 
/**
 * Whether links are permanent: only then anything can be written.
 */
permanent: boolean, };

export type ForeignHost = { 
/**
 * Its name.
 */
host: string, 
/**
 * How many references lead there.
 */
count: number, };

export type BlogPlan = { 
/**
 * Images that would come here.
 */
pictures: number, 
/**
 * Posts that would change.
 */
posts: number, 
/**
 * Addresses in them that would change.
 */
references: number, 
/**
 * A unified diff; at most 400 lines.
 */
diff: string, 
/**
 * Whether there is more of it.
 */
cut: boolean, };

export type Adopted = { 
/**
 * What undoes it, where a post changed.
 */
id: string | null, 
/**
 * Images that were not here before.
 */
uploaded: number, 
/**
 * Images that were.
 */
alreadyHere: number, 
/**
 * Posts that were written.
 */
posts: number, 
/**
 * Addresses in them that changed.
 */
references: number, 
/**
 * Images that did not come, by each reference to them. Their addresses are as they were.
 */
failed: Array<PostProblem>, 
/**
 * Posts that were not written.
 */
left: Array<PostProblem>, };

export type PostProblem = { 
/**
 * The file, from the folder on.
 */
file: string, 
/**
 * The line of the reference, where it is about one.
 */
line?: number, 
/**
 * Its address.
 */
address?: string, 
/**
 * Why.
 */
why: Message, };

export type Undone = { 
/**
 * The adoption.
 */
id: string, 
/**
 * Its folder.
 */
folder: string, 
/**
 * The posts that are as they were before it.
 */
restored: Array<string>, 
/**
 * Those that are not, such as those that were edited since.
 */
left: Array<PostProblem>, 
/**
 * Images that came here with it, and stay.
 */
uploaded: number, };

export type UploadTrouble = "unreadable" | "not_a_file" | "too_large" | "not_a_picture" | "too_many" | "broken" | "storage";

export type UploadState = { "state": "waiting", 
/**
 * Why it was not uploaded yet; it is retried.
 */
why?: Message, } | { "state": "working", 
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
 * Stored bytes; `null` where they are not known.
 */
stored: number | null, } | { "state": "duplicate", 
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
 * Why it was not uploaded yet; it is retried.
 */
why?: Message, } | { "state": "working", 
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
 * Stored bytes; `null` where they are not known.
 */
stored: number | null, } | { "state": "duplicate", 
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

export type CopiedLinks = { 
/**
 * How many.
 */
count: number, 
/**
 * How long they lead to the images.
 */
kind: AddressKind, };

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
 * Why.
 */
reason: Message, };

export type ShownStatus = { 
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
rgba: string, 
/**
 * When it ends by itself; `null` for never.
 */
until: number | null, };

export type SensorKind = "foreground" | "input" | "lock" | "sleep" | "media";

export type UnavailableSensor = { 
/**
 * Which.
 */
sensor: SensorKind, 
/**
 * Why.
 */
why: Message, };

export type PresenceNow = { 
/**
 * The exact content of the next heartbeat; `null` while none is sent.
 */
preview: ShownStatus | null, 
/**
 * A pause, if there is one.
 */
pause: PauseGlance | null, 
/**
 * The fixed status, if any.
 */
fixed: Status | null, 
/**
 * The statuses that were set last, without their ends, newest first; at most five.
 */
recent: Array<Status>, 
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
unavailable: Array<UnavailableSensor>, 
/**
 * Why the last heartbeat failed.
 */
trouble: Message | null, 
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

export type ForegroundApp = { 
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
 * Why.
 */
why: Message, };

export type Trial = { 
/**
 * It; `null` where none is known.
 */
foreground: ForegroundApp | null, 
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
presence: PresenceNow, 
/**
 * The last foreground app that is not Porchlight.
 */
foreground: ForegroundApp | null, 
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

export type PresencePeriod = { 
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
shown: ShownStatus, 
/**
 * The name of the device that it was of; none of this computer.
 */
device?: string, };

export type DevicesGlance = { 
/**
 * This computer first, the others in the owner's order.
 */
all: Array<DeviceCard>, 
/**
 * Whether readers get the list of those that they may see.
 */
listed: boolean, 
/**
 * Whether that list has batteries.
 */
sharesBattery: boolean, 
/**
 * Whether clients of other programs may report.
 */
clients: boolean, };

export type DeviceCard = { 
/**
 * Its id.
 */
id: string, 
/**
 * What the owner calls it.
 */
name: string, 
/**
 * What kind of device it is.
 */
kind: DeviceKind, 
/**
 * Whether it is this computer.
 */
own: boolean, 
/**
 * Whether readers may see it.
 */
access: DeviceAccess, 
/**
 * What they see of it, or would see if they might.
 */
shown: ShownStatus, 
/**
 * When it last reported; `null` where it has not yet.
 */
lastReport: number | null, 
/**
 * Until when that counts.
 */
validUntil: number | null, 
/**
 * In percent, where it reports that.
 */
battery: number | null, 
/**
 * Whether the battery is being charged, where it reports that.
 */
charging: boolean | null, 
/**
 * Whether a blog that shows one device shows this one.
 */
inCheck: boolean, };

export type DeviceAccess = "allowed" | "hidden" | "waiting";

export type DeviceKind = "desktop" | "laptop" | "phone" | "tablet" | "other";

export type DeviceClient = "live_dashboard" | "sleepy" | "mx_space" | "porchlight" | "own";

export type NewDevice = { 
/**
 * What it is called; at most 64 characters.
 */
name: string, 
/**
 * What kind of device it is.
 */
kind: DeviceKind, 
/**
 * What it reports with.
 */
client: DeviceClient, 
/**
 * Whether readers see it from its first report on.
 */
allowed: boolean, };

export type AddedDevice = { 
/**
 * Its id.
 */
id: string, 
/**
 * What to type into its client, in order.
 */
fields: Array<DeviceField>, };

export type DeviceField = { 
/**
 * What the client calls it.
 */
label: string, 
/**
 * What to type; `null` where that is a secret, which only the clipboard and the QR code get.
 */
value: string | null, };

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
 * Why nothing better is known.
 */
trouble: Message | null, };

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

export type Achievements = { 
/**
 * How many the owner has reached.
 */
reached: number, 
/**
 * How many there are.
 */
of: number, };

export type RunningGame = { 
/**
 * The number of its cover; `null` where it has none.
 */
cover: number | null, 
/**
 * When it was first seen to run.
 */
since: number, 
/**
 * Minutes played ever.
 */
minutes: number | null, 
/**
 * Its achievements, where it has any.
 */
achievements: Achievements | null, };

export type GamePage = { 
/**
 * In short.
 */
glance: GameGlance, 
/**
 * The game that runs, while it is shown.
 */
running: RunningGame | null, 
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

export type PictureSpace = { 
/**
 * How many there are.
 */
pictures: number, 
/**
 * Their size as they are stored, in bytes, without renditions.
 */
stored: number, 
/**
 * The size of the files that they were made from, in bytes.
 */
sources: number, };

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
 * The days between the first and the last of the given times, and as many
 * before them, that had readers, in their order.
 */
readers: Array<DayReaders>, 
/**
 * The most viewed images on the days between the first and the last of the
 * given times, at most six.
 */
top: Array<TopPicture>, 
/**
 * The bytes of images that were sent between the first and the last of the
 * given times. What an object store or the Worker sent is not among them.
 */
sent: number, 
/**
 * What all images take now.
 */
space: PictureSpace, 
/**
 * When the first call was counted.
 */
first: number | null, };

export type SettingLayer = "default" | "file" | "environment" | "command_line";

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
layer: SettingLayer, };

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
 * Errors in the settings file, if it was edited and is invalid.
 */
fileProblems: Array<FileProblem>, };

export type ShortcutGlance = { 
/**
 * Whether this desktop supports global shortcuts.
 */
possible: boolean, 
/**
 * Why there are none, or not those of the settings.
 */
trouble: Message | null, 
/**
 * The desktop's name for the shortcut, where the desktop assigns it.
 */
given: string | null, };

export type SettingProblem = { 
/**
 * `section.name`; empty where it is about more than one.
 */
key: string, 
/**
 * What is wrong, with what would be right.
 */
why: Message, };

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

export type Scope = "heartbeat" | "upload" | "admin";

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
scope: Scope, 
/**
 * When it was made.
 */
createdAt: number, 
/**
 * When it was last used.
 */
lastUsed: number | null, };

export type Editor = "share_x" | "curl" | "typora" | "flameshot" | "ksnip" | "lsky" | "chevereto";

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

export type WorkKind = "backup" | "check" | "repair" | "move" | "restore" | "import" | "adopt";

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
of: number | null, 
/**
 * Whether it was cancelled and is about to end.
 */
cancelling: boolean, 
/**
 * Whether it can be cancelled now.
 */
cancellable: boolean, };

export type WorkReport = { 
/**
 * What was done.
 */
kind: WorkKind, 
/**
 * Images that are intact, or were backed up, moved or imported; of cancelled work, images that were
 * done.
 */
good: number, 
/**
 * The faults; at most a hundred.
 */
wrong: Array<Message>, 
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
secrets: Array<string>, 
/**
 * Images of an import that were here before.
 */
alreadyHere: number, 
/**
 * Whether it was cancelled.
 */
cancelled: boolean, 
/**
 * Of an adoption that was not.
 */
adopted: Adopted | null, };

export type MaintenanceGlance = { 
/**
 * What is being done, if anything is.
 */
work: Work | null, 
/**
 * The last result of each kind of work, the newest last.
 */
reports: Array<WorkReport>, };

export type Reach = { 
/**
 * Whose object store the settings name.
 */
store: StoreMaker, 
/**
 * The lines that help with the store and the Worker. None holds a secret.
 */
lines: ReachLines, 
/**
 * The variables of the Worker but for the secret, each with its value.
 */
variables: Array<[string, string]>, 
/**
 * Whether there is a key that the Worker and the service share.
 */
hasKey: boolean, 
/**
 * How the Worker is doing.
 */
edge: EdgeGlance, 
/**
 * The Worker at Cloudflare.
 */
setup: EdgeSetup, };

export type StoreMaker = "r2" | "own" | "other";

export type ReachLines = { 
/**
 * Deploys the Worker.
 */
deploy: string, 
/**
 * Rules for other sites, as the page of R2 takes them.
 */
cors: string, 
/**
 * The command that sets such rules at other stores.
 */
corsCommand: string, 
/**
 * The command that lets everybody read a bucket of Garage.
 */
website: string, };

export type ReachText = "deploy" | "cors" | "cors_command" | "website" | "secret";

export type EdgeGlance = { 
/**
 * What came of the last call.
 */
state: EdgeState, 
/**
 * Whether the tunnel speaks plain HTTP, so that the Worker does not get its address.
 */
plainTunnel: boolean, 
/**
 * Images on this machine's disk, which the Worker cannot send while it is off.
 */
onDisk: number, 
/**
 * Whether this machine's clock is more than five minutes off the Worker's.
 */
clockIsOff: boolean, };

export type EdgeState = { "state": "off" } | { "state": "checking" } | { "state": "works", 
/**
 * Since when, in Unix milliseconds.
 */
at: number, } | { "state": "another" } | { "state": "limit", 
/**
 * Until when, in Unix milliseconds.
 */
until: number, } | { "state": "fails", 
/**
 * Why.
 */
why: Message, 
/**
 * Since when, in Unix milliseconds.
 */
since: number, };

export type StoreStep = "write" | "read" | "type" | "cors" | "remove";

export type StoreCheck = { 
/**
 * Which one.
 */
step: StoreStep, 
/**
 * What went wrong, if anything.
 */
trouble: Message | null, };

export type EdgeFiles = { 
/**
 * Where they are.
 */
folder: string, };

export type EdgeSetup = { 
/**
 * What is being done with it.
 */
work: EdgeWork, 
/**
 * Whether the keyring has a token.
 */
tokenKept: boolean, 
/**
 * The Worker; `null` where none was deployed from here.
 */
deployed: DeployedWorker | null, };

export type DeployedWorker = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its version.
 */
version: string, 
/**
 * The version of this Porchlight, where that is newer.
 */
newer: string | null, 
/**
 * Whether the owner put that version off.
 */
later: boolean, };

export type EdgeTask = "set_up" | "update" | "new_key" | "remove";

export type EdgeRequest = { 
/**
 * The task.
 */
task: EdgeTask, 
/**
 * Cloudflare's API token; empty: that of the keyring.
 */
token: string, 
/**
 * Whether the keyring keeps the token.
 */
keepToken: boolean, 
/**
 * The account's id; empty: the one that the token is for.
 */
account: string, 
/**
 * A host name at a domain of the owner; empty: an address at workers.dev.
 */
domain: string, 
/**
 * The account's name at workers.dev, where it has none yet; may be empty.
 */
subdomain: string, 
/**
 * Whether pictures go to R2.
 */
r2: boolean, };

export type EdgeStep = "verify" | "account" | "subdomain" | "bucket" | "upload" | "address" | "wait" | "settings";

export type EdgeWork = { "state": "idle" } | { "state": "running", 
/**
 * The task.
 */
task: EdgeTask, 
/**
 * Where it is.
 */
step: EdgeStep, 
/**
 * The address that is probed.
 */
url: string | null, 
/**
 * Why the last probe failed; it is repeated.
 */
why: Message | null, } | { "state": "failed", 
/**
 * The task.
 */
task: EdgeTask, 
/**
 * Where.
 */
step: EdgeStep, 
/**
 * Why, and what to do.
 */
why: Message, 
/**
 * Ids and names of the accounts to choose from.
 */
accounts: Array<[string, string]>, } | { "state": "done", 
/**
 * The task.
 */
task: EdgeTask, 
/**
 * The Worker's address.
 */
url: string, 
/**
 * What else the owner should know.
 */
note: Message | null, };

export type BlogForm = "html" | "astro" | "hexo" | "vue";

export type BlogLines = { 
/**
 * The lines.
 */
text: string, 
/**
 * The address in them.
 */
url: string, 
/**
 * How long it leads here, and for whom.
 */
kind: AddressKind, 
/**
 * Whether the lines hold the script itself.
 */
whole: boolean, 
/**
 * When somebody else than this machine last asked for the status, in this run.
 */
lastAsked: number | null, };

export type UpdateCheck = { 
/**
 * The version that runs.
 */
running: string, 
/**
 * What was found.
 */
result: UpdateResult, 
/**
 * How this copy is updated.
 */
way: UpdateWay, };

export type UpdateResult = { "state": "up_to_date" } | { "state": "newer", 
/**
 * Its version.
 */
version: string, 
/**
 * What is new in it; empty where the announcement has none.
 */
notes: string, 
/**
 * The page that it can be downloaded from, where the announcement names one.
 */
page: string | null, } | { "state": "failed", 
/**
 * Why.
 */
why: UpdateFailure, };

export type UpdateFailure = { "code": "no_address" } | { "code": "no_key" } | { "code": "unreachable", 
/**
 * Why.
 */
why: Message, } | { "code": "status", 
/**
 * The address.
 */
file: string, 
/**
 * The HTTP status.
 */
status: number, } | { "code": "too_long" } | { "code": "not_signed" } | { "code": "other_key" } | { "code": "altered" } | { "code": "malformed" };

export type UpdateWay = { "by": "download" } | { "by": "package", 
/**
 * Its name.
 */
manager: string, 
/**
 * The command for it.
 */
command: string, } | { "by": "system" };

