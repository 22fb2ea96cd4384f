// What each setting is called and what it does, in English.

import type { RowKey } from "../../settings/table";

/** By key: what it is called, and a sentence or two on what it does. */
export const settingRows: Record<RowKey, [label: string, sentence: string]> = {
  "app.theme": ["Theme", "Light, dark, or the same as your system."],
  "app.language": ["Language", "For this window, the tray and notifications."],
  "app.notifications": [
    "Notifications",
    "Tell me when an upload finishes while this window is closed.",
  ],
  "app.upload_shortcut": [
    "Upload shortcut",
    "Uploads the copied picture from any app and copies its link.",
  ],

  "presence.enabled": [
    "Share your presence",
    "Show readers when you’re online and which app you’re using.",
  ],
  "presence.share_titles": [
    "Window titles",
    "Include the window title in an app’s description. Titles can reveal more than you expect.",
  ],
  "presence.share_music": [
    "Music",
    "While music plays, show the track and the artist in place of the app’s description.",
  ],
  "presence.share_browser_music": [
    "Music in browsers",
    "Include what Firefox and similar browsers play. Chrome, Edge and similar ones are never included.",
  ],
  "presence.language": [
    "Language of app descriptions",
    "For apps that Porchlight describes without a rule.",
  ],
  "presence.interval_seconds": [
    "Status update interval",
    "How often Porchlight confirms you’re still there. Changes are sent within two seconds.",
  ],
  "presence.idle_seconds": [
    "Away after",
    "Show me as away after this long without keyboard or mouse. Music and video keep you online.",
  ],
  "presence.history_days": [
    "Keep the timeline for",
    "How many days your own timeline goes back. It never leaves this computer.",
  ],
  "presence.target_url": [
    "Another service",
    "Send status updates and uploads to this https:// address instead of the service in this app.",
  ],
  "presence.token": ["Access token", "From the other service."],

  "watch.folders": [
    "Watched folders",
    "New pictures in these folders upload automatically, such as screenshots.",
  ],
  "watch.recursive": ["Include subfolders", "Folders inside the watched folders, too."],
  "watch.existing": [
    "Upload existing pictures",
    "When you add a folder, upload the pictures already in it, too. When off, only new ones are uploaded.",
  ],
  "watch.after": ["After the upload", "What happens to the file on this computer."],
  "watch.poll": [
    "Check every five seconds",
    "For drives that don’t report new files. Network drives are always checked this way.",
  ],
  "watch.copy_link": ["Copy the link", "Copy the link of each uploaded picture right away."],

  "links.template": [
    "Link format",
    "Used wherever you copy a link: in this window, the tray, with the shortcut and in editors.",
  ],

  "tunnel.kind": [
    "How readers reach this computer",
    "A tunnel gives Porchlight a public address. You don’t need to change your router.",
  ],
  "tunnel.cloudflared_token": [
    "Tunnel token",
    "From Cloudflare’s dashboard. Only cloudflared receives it.",
  ],
  "tunnel.hostname": [
    "Tunnel hostname",
    "The public hostname you gave the tunnel, such as light.example.com.",
  ],
  "tunnel.ssh_host": ["Server", "As for ssh: user@host. It must accept a key without a password."],
  "tunnel.ssh_port": [
    "Port on the server",
    "Forwarded to this computer. Put a web server with a certificate in front of it.",
  ],
  "tunnel.command": [
    "Command",
    "One word per line, the program first. {port} is replaced with the local port.",
  ],
  "tunnel.pattern": [
    "Address pattern",
    "A regular expression whose first group matches the address in the command’s output.",
  ],
  "tunnel.public_url": [
    "Public address",
    "The address readers use for this tunnel, starting with https://.",
  ],
  "tunnel.program": [
    "Tunnel program",
    "Only if Porchlight can’t find it: the file to run, such as /home/me/tools/cloudflared.",
  ],
  "tunnel.port": [
    "Local port",
    "Where the tunnel connects on this computer. 0 picks one automatically; a named tunnel and frp need a fixed one.",
  ],
  "tunnel.check_seconds": [
    "Check the public address every",
    "How often Porchlight checks that the public address still works.",
  ],

  "server.public_url": [
    "Public address",
    "Used in links. Leave empty to use the tunnel’s address.",
  ],
  "server.listen": [
    "Local address",
    "Address and port on this computer. Port 0 picks one automatically.",
  ],
  "server.client_ip": [
    "How to read a visitor’s address",
    "Leave this unless you run your own proxy.",
  ],
  "server.trusted_proxies": [
    "Trusted proxies",
    "Addresses or networks of your own proxies, one per line. From other addresses the header is ignored.",
  ],
  "server.greeting": ["Greeting", "Shown to anyone who opens your address in a browser."],
  behaviour: [
    "Compatibility",
    "Only if the instructions of your blog’s theme ask for A or B. Sets picture delivery and status updates.",
  ],
  "heartbeat.fields": [
    "Detailed status updates",
    "Send the app, its description and its colour. Off sends only that you’re online.",
  ],
  "heartbeat.alive_seconds": [
    "Stay online for",
    "How long readers see you as online after the last status update.",
  ],
  "limits.requests_per_second": [
    "Requests per second",
    "For each reader, on average. 0 means no limit.",
  ],
  "limits.burst": ["Burst limit", "For each reader, when a page requests many things at once."],

  "images.delivery": [
    "Picture delivery",
    "Serve pictures from this computer, or redirect readers to the object storage.",
  ],
  "images.quality": ["Quality", "For WebP made from photos. Existing pictures don’t change."],
  "images.max_upload_bytes": ["Largest file", "Larger files are rejected."],
  "images.max_pixels": ["Largest picture", "In pixels, width times height."],
  "images.max_animation_pixels": ["Largest animation", "The pixels of all frames added up."],
  "images.rendition_cache_bytes": [
    "Cache for smaller sizes",
    "Phones get smaller pictures; the least used are removed first. 0 turns the cache off.",
  ],

  "storage.kind": ["Where new pictures go", "Existing pictures stay where they are."],
  "storage.endpoint": ["Endpoint", "The address of any S3-compatible storage."],
  "storage.region": ["Region", "As your provider calls it."],
  "storage.bucket": ["Bucket", "Pictures are stored in it as randomimg/<hash>.webp."],
  "storage.access_key": ["Access key", "The access key ID from your provider."],
  "storage.secret_key": ["Secret key", "The secret that belongs to the access key."],
  "storage.storage_url": [
    "Public address of the storage",
    "Its own or its CDN’s. Readers are redirected to it.",
  ],

  "publish.enabled": [
    "Publish a snapshot",
    "Keeps your presence and the list of pictures in the object storage, so readers still get them while this computer is off.",
  ],
  "publish.prefix": [
    "Folder of the snapshot",
    "Where it is stored in the bucket, ending in a slash.",
  ],

  "edge.url": [
    "Address of your Worker",
    "For example https://light.example.org. Used in place of the public address in Service.",
  ],
  "edge.secret": [
    "Key of your Worker",
    "A password that the Worker and this computer share. Saving the files makes one; your own needs at least 32 characters.",
  ],

  "game.local_steam": [
    "Use Steam on this computer",
    "No key needed. Works while Steam is running here.",
  ],
  "game.steam_folder": ["Steam folder", "Leave empty to search the usual places."],
  "game.steam_api_key": [
    "Steam Web API key",
    "For playtime, achievements, and games on other computers.",
  ],
  "game.steam_id": ["SteamID", "The 17-digit number of your account."],
  "game.report_offline": [
    "Tell your blog when Steam is offline",
    "Some blogs can’t show this, so it’s off by default.",
  ],
  "game.language": ["Store language", "For game descriptions. Use Steam’s name for the language."],
  "game.region": [
    "Store country",
    "Two letters, for prices. Leave empty to use this computer’s location.",
  ],
  "game.steam_api_url": ["Steam Web API address", "Steam’s own, or a mirror."],
  "game.steam_store_url": ["Steam store address", "Steam’s own, or a mirror."],

  "ip.mmdb": [
    "Local database",
    "A file from GeoIP, DB-IP or ipinfo: countries are looked up without asking another site. It has no host names.",
  ],
  "ip.ipinfo_token": [
    "ipinfo.io token",
    "Without one, ipinfo.io allows about a thousand lookups a day.",
  ],
  "ip.ipinfo_url": ["Provider address", "ipinfo.io’s own, or a mirror."],

  "system.show_user": ["User name", "Anyone can see it while this is on."],
  "system.show_host": ["Computer name", "Anyone can see it while this is on."],
  "system.show_addresses": ["IP addresses", "Anyone can see them while this is on."],

  "picgo.enabled": [
    "Accept pictures from editors",
    "Typora, Obsidian and other editors that support PicGo can upload through Porchlight.",
  ],
  "picgo.port": [
    "Port",
    "On this computer only. 36677 is PicGo’s own: choose another one if PicGo runs, too.",
  ],
  "picgo.secret": [
    "Secret",
    "Part of the address for editors, so that only they can upload. Leave unset to let Porchlight make one.",
  ],

  "update.url": [
    "Update address",
    "Where the publisher announces releases (latest.json). Leave empty to never check.",
  ],
  "update.public_key": [
    "Update key",
    "The publisher’s public key (minisign), which begins with RW.",
  ],
};
