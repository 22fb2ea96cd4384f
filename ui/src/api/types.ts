// Made from crates/api by `cargo xtask types`. Do not edit.

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
 * Unix milliseconds.
 */
createdAt: number, 
/**
 * Its public address.
 */
url: string, };

export type Home = { 
/**
 * The light.
 */
light: Light, 
/**
 * Whether it is fed.
 */
sharing: Sharing, 
/**
 * Where the blog finds it.
 */
address: Address, 
/**
 * Pictures in all.
 */
pictureCount: number, 
/**
 * The newest twelve.
 */
newest: Array<Picture>, 
/**
 * Calls per path, most called first.
 */
calls: Array<ApiStat>, 
/**
 * Calls in each of the last 24 hours, the running hour last.
 */
callsByHour: Array<number>, 
/**
 * The program's version.
 */
version: string, };

export type UploadTrouble = "unreadable" | "not_a_file" | "too_large" | "not_a_picture" | "broken" | "storage_full" | "storage";

export type UploadState = { "state": "waiting" } | { "state": "working" } | { "state": "done", 
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
size: number, } & ({ "state": "waiting" } | { "state": "working" } | { "state": "done", 
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

