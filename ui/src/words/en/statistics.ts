// The texts of the page "statistics", in English.

import type { Class } from "../../statistics/classes";
import { counting } from "../counting";

/** The texts, with numbers formatted for `locale`. */
export function statistics(locale: string) {
  const { number, one, counted } = counting(locale);

  const classes: Record<Class, { name: string; sentence: string }> = {
    good: { name: "Served", sentence: "Answered as requested." },
    redirected: { name: "Redirected", sentence: "Sent on to the object storage." },
    refused: {
      name: "Rejected",
      sentence: "Not found, not allowed, or too many at once.",
    },
    failed: { name: "Errors", sentence: "Something went wrong; the log has details." },
    hungUp: { name: "Cancelled", sentence: "The visitor left before the answer was ready." },
  };

  return {
    lead: "Readers, picture views and requests. Only you can see this.",
    trouble: "Couldn’t load the statistics.",
    range: {
      choose: "Time range",
      week: "7 days",
      month: "30 days",
      year: "12 months",
      custom: "Custom…",
      from: "From",
      to: "To",
      impossible: "The start date must not be after the end date.",
      save: "Export…",
      tables: { calls: "Requests by hour (CSV)", views: "Picture views by day (CSV)" },
      saved: (file: string) => `Saved as ${file}`,
    },
    since: (day: string) => `Only you can see this. Counted since ${day}.`,
    classes,
    tiles: {
      requests: {
        text: (n: number, answered: string | null) => {
          const unit = one(n) ? "request" : "requests";
          return answered === null ? unit : `${unit}, ${answered} answered`;
        },
        why: "Everything that was requested of this computer in this period.",
      },
      sent: {
        text: "of pictures sent to readers",
        why: "What this computer sent in this period. Pictures from object storage or from the Worker’s cache are not counted here.",
      },
      space: {
        text: (n: number) => `used by ${counted(n, "picture", "pictures")}`,
        why: "What all pictures take now, without their smaller copies.",
      },
      saved: {
        text: (saved: string) => `smaller than the originals: ${saved} saved`,
        why: "Pictures are stored as WebP. This compares them with the files that you added.",
      },
    },
    calls: {
      title: { hour: "Requests by hour", day: "Requests by day", month: "Requests by month" },
      answers: "How they were answered",
      count: (n: number) => counted(n, "request", "requests"),
      through: "Requests over time; use the arrow keys to step through",
      describe: (when: string, n: number, parts: string) =>
        parts === ""
          ? `${when}: ${counted(n, "request", "requests")}`
          : `${when}: ${counted(n, "request", "requests")}, ${parts}`,
      part: (name: string, n: number) => `${name.toLowerCase()} ${number(n)}`,
      time: "Time",
      all: "Total",
    },
    readers: {
      title: "Readers",
      lead: "Someone who visits on two days counts on both.",
      through: "Readers over time; use the arrow keys to step through",
      change: (percent: string, days: number, more: boolean) =>
        `${percent} ${more ? "more" : "fewer"} than in the ${counted(days, "day", "days")} before`,
      inDays: (n: number, days: number) =>
        `${one(n) ? "reader" : "readers"} in ${counted(days, "day", "days")}`,
      ofToday: (n: number, more: boolean) => `${number(n)}${more ? "+" : ""} today`,
      none: "No readers in this period.",
      count: (n: number, more: boolean) => {
        if (more && n === 0) return "unknown";
        return more
          ? `at least ${counted(n, "reader", "readers")}`
          : counted(n, "reader", "readers");
      },
      describe: (day: string, readers: string) => `${day}: ${readers}`,
    },
    empty: "No visits yet. Add your Porchlight address to your blog, and they will show up here.",
    paths: {
      title: "What your blog asked for",
      none: "Nothing was requested in this period.",
      bad: (n: number) => `${number(n)} failed`,
      why: (path: string, ago: string) => `${path}, last requested ${ago}`,
      names: {
        "/": "Front page",
        "/sysinfo": "About this computer",
        "/heartbeat": "Presence updates",
        "/check": "Status",
        "/devices": "Devices",
        "/random_image": "Random picture",
        "/images/{hash}": "Pictures, by the long link",
        "/i/{hash}": "Pictures",
        "/images/add": "Uploads",
        "/images/list": "Picture list",
        "/images/count": "Number of pictures",
        "/game_status": "Game",
        "/ipcheck": "Address check",
        "/api_stats": "Request counts",
        "/api_stats/{key}": "Request count of one address",
      } as Record<string, string>,
    },
    top: {
      title: "Most viewed",
      copy: (n: string) => `Copy link to the picture with ${n}`,
      none: "No picture views in this period.",
    },
  };
}
