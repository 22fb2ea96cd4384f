// What each setting is called and what it does, in English.

import type { RowKey } from "../../settings/table";

/** By key: what it is called, and a sentence or two on what it does. */
export const settingRows: Record<RowKey, [label: string, sentence: string]> = {
  "app.theme": ["Colours", "The window is paper by day, night by night, or as the system is."],
  "app.language": ["Language", "Of the window, the tray and the notifications."],
  "app.notifications": [
    "Notifications",
    "One says what came of an upload that was made without the window.",
  ],
  "app.upload_shortcut": [
    "Keys that upload the clipboard",
    "Press them anywhere, and what was copied is uploaded. Its link takes its place.",
  ],

  "presence.enabled": [
    "Tell your readers that you are in",
    "While this is off, nothing is reported about you.",
  ],
  "presence.share_titles": [
    "Window titles",
    "The line about a program may hold its window’s title. Titles can give away more than you think.",
  ],
  "presence.language": [
    "Language of the built-in lines",
    "In which language the programs that are known without a rule are described.",
  ],
  "presence.interval_seconds": [
    "Heartbeat every",
    "How often you are reported while nothing changes. A change is told within two seconds.",
  ],
  "presence.idle_seconds": [
    "Away after",
    "How long without keyboard or mouse you still count as there. Playing media keeps you there.",
  ],
  "presence.history_days": [
    "Keep the past for",
    "How many days your own timeline goes back. It never leaves this computer.",
  ],
  "presence.target_url": [
    "Another service",
    "Where heartbeats and uploads go, if not to the service in this app: an https:// address.",
  ],
  "presence.token": ["Its token", "What that other service knows you by."],

  "watch.folders": [
    "Watched folders",
    "Pictures that appear in them are uploaded by themselves, screenshots for example.",
  ],
  "watch.recursive": ["Folders inside them", "They are watched, too."],
  "watch.existing": [
    "Pictures that are there already",
    "Whether they are uploaded when a folder is watched for the first time. Off takes only what comes later.",
  ],
  "watch.after": ["After the upload", "What becomes of the file on this computer."],
  "watch.poll": [
    "Look by itself every five seconds",
    "For drives that do not say when a file comes. Network drives are always looked through.",
  ],
  "watch.copy_link": [
    "Copy the link",
    "The link of each uploaded picture goes to the clipboard at once.",
  ],

  "links.template": [
    "What is copied for a picture",
    "Wherever a link is copied: here, in the tray, by the shortcut and by editors.",
  ],

  "tunnel.kind": [
    "How readers reach this computer",
    "A tunnel gives the service a public address without opening anything in your router.",
  ],
  "tunnel.cloudflared_token": [
    "Token of the tunnel",
    "From Cloudflare’s dashboard. It is handed to cloudflared alone.",
  ],
  "tunnel.hostname": [
    "Name of the tunnel",
    "The public hostname that you gave it, such as light.example.com.",
  ],
  "tunnel.ssh_host": [
    "Server",
    "As for ssh: user@host. It must let you in by a key, without a question.",
  ],
  "tunnel.ssh_port": [
    "Port on the server",
    "What arrives there is carried here. A web server with a certificate belongs in front of it.",
  ],
  "tunnel.command": [
    "Command",
    "One word a line, the program first. {port} becomes the port that readers come in by.",
  ],
  "tunnel.pattern": [
    "Where its address is",
    "A regular expression whose first group is the address in what the command prints.",
  ],
  "tunnel.public_url": [
    "Public address",
    "The address that the world uses for this tunnel, beginning with https://.",
  ],
  "tunnel.program": [
    "Its program",
    "Only where it is not found by its name: the file to start, such as /home/me/tools/cloudflared.",
  ],
  "tunnel.port": [
    "Port of the door",
    "The tunnel leads to this port on this computer. 0 takes a free one; a named tunnel and frp need a fixed one.",
  ],
  "tunnel.check_seconds": [
    "Look from outside every",
    "How often it is tried whether the public address still leads here.",
  ],

  "server.public_url": [
    "Public address",
    "Links are made from it. Leave it empty and the tunnel’s own address is used.",
  ],
  "server.listen": [
    "Where the service listens",
    "Address and port on this computer. Port 0 takes a free one.",
  ],
  "server.client_ip": [
    "Who is asking",
    "Whom a request is counted against. Change it only behind a proxy of your own.",
  ],
  "server.trusted_proxies": [
    "Trusted proxies",
    "Addresses or networks of your own proxies, one per line. From other addresses the header is ignored.",
  ],
  "server.greeting": ["Greeting", "What a browser shows that opens the bare address."],
  behaviour: [
    "Behaviour",
    "A or B of the interface sets delivery and heartbeats at once, for blogs that expect one exactly.",
  ],
  "heartbeat.fields": [
    "Heartbeats say what you are at",
    "Program, line and colour. Off tells only that you are there.",
  ],
  "heartbeat.alive_seconds": [
    "The light stays on for",
    "How long after the last heartbeat readers still see that you are in.",
  ],
  "limits.requests_per_second": [
    "Requests a second",
    "For each reader in the long run. 0 takes the limit away.",
  ],
  "limits.burst": ["Requests at once", "For each reader, when a page asks for much together."],

  "images.delivery": [
    "How pictures are delivered",
    "From this computer, or by sending readers on to the object store.",
  ],
  "images.quality": [
    "Quality",
    "Of the WebP that is made from a photograph. Pictures that are here already stay as they are.",
  ],
  "images.max_upload_bytes": ["Largest file", "Larger ones are refused."],
  "images.max_pixels": ["Largest picture", "In pixels, width times height."],
  "images.max_animation_pixels": ["Largest animation", "The pixels of all its frames together."],
  "images.rendition_cache_bytes": [
    "Room for narrower copies",
    "Phones get smaller copies. Those that nobody asked for the longest go first. 0 keeps none.",
  ],

  "storage.kind": [
    "Where new pictures go",
    "Those that are here already stay readable where they are.",
  ],
  "storage.endpoint": ["Address of the store", "Any store that speaks S3."],
  "storage.region": ["Region", "As the store calls it."],
  "storage.bucket": ["Bucket", "Pictures lie in it as randomimg/<hash>.webp."],
  "storage.access_key": ["Name of the key", "The access key of the store."],
  "storage.secret_key": ["The key", "The secret that goes with it."],
  "storage.storage_url": [
    "Public address of the store",
    "Its own or its CDN’s: where readers are sent to.",
  ],

  "game.local_steam": ["Ask Steam on this computer", "It knows what you play. No key is needed."],
  "game.steam_folder": ["Folder of Steam", "Without it, the usual places are looked at."],
  "game.steam_api_key": [
    "Key of the Steam Web API",
    "For playtime and achievements, and for games on another machine.",
  ],
  "game.steam_id": ["Your SteamID", "The 17 digits of your account."],
  "game.report_offline": [
    "Say when you are offline",
    "As 离线. Some blogs know only the other two answers, so it is off at first.",
  ],
  "game.language": [
    "Language of the store",
    "In which a game is described, by Steam’s name for it.",
  ],
  "game.region": [
    "Country of the store",
    "Two letters: whose prices are shown. Empty goes by this computer’s address.",
  ],
  "game.steam_api_url": ["Address of the Web API", "Steam’s own, or a mirror."],
  "game.steam_store_url": ["Address of the store", "Steam’s own, or a mirror."],

  "ip.mmdb": [
    "Database on this computer",
    "From GeoIP, DB-IP or ipinfo. With it no look-up leaves this machine; host names stay empty.",
  ],
  "ip.ipinfo_token": [
    "Token of ipinfo.io",
    "Without one, ipinfo.io answers about a thousand look-ups a day.",
  ],
  "ip.ipinfo_url": ["Address of the provider", "That of ipinfo.io, or a mirror."],

  "system.show_user": ["Your user name", "Anybody can read it once it is on."],
  "system.show_host": ["The name of this computer", "Anybody can read it once it is on."],
  "system.show_addresses": ["Its network addresses", "Anybody can read them once it is on."],

  "picgo.enabled": [
    "Take pictures from editors",
    "Typora, Obsidian and other programs that know PicGo hand their pictures to Porchlight.",
  ],
  "picgo.port": ["Port", "On this computer alone. PicGo’s own is 36677."],
  "picgo.secret": ["Secret", "What callers must send. If none is set, Porchlight generates one."],
};
