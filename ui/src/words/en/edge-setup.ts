// The texts of the Worker's set-up at Cloudflare.

import type { EdgeTask } from "../../api/types";
import type { EdgePhase } from "../../settings/edge-phases";

/** The texts. */
export function edgeSetup() {
  const phases: Record<EdgePhase, string> = {
    check: "Check the token",
    upload: "Upload the Worker",
    address: "Switch on its address",
    wait: "Wait for the address",
    settings: "Save the settings",
  };
  const running: Record<EdgeTask, string> = {
    set_up: "Setting up…",
    update: "Updating…",
    new_key: "Changing the key…",
    remove: "Removing…",
  };
  const failed: Record<EdgeTask, string> = {
    set_up: "Not set up yet.",
    update: "The Worker wasn’t updated.",
    new_key: "The key wasn’t changed.",
    remove: "The Worker wasn’t removed.",
  };
  const done: Record<EdgeTask, (url: string) => string> = {
    set_up: (url) => `Your blog’s address is ${url}.`,
    update: (url) => `${url} is up to date. Its data was kept.`,
    new_key: (url) => `The key of ${url} was changed.`,
    remove: (url) => `${url} is removed.`,
  };
  const start: Record<EdgeTask, string> = {
    set_up: "Set up",
    update: "Update now",
    new_key: "Make a new key",
    remove: "Remove…",
  };

  return {
    phases,
    running,
    failed,
    done,
    start,
    title: "Set up at Cloudflare",
    lead: "Free, permanent, and answers while this computer is off. You need a Cloudflare account and one token: no card, no domain, nothing to install.",
    page: "Open Cloudflare’s page",
    pageHint:
      "Sign in or make a free account. The form is filled in: choose “Continue to summary”, then “Create Token”, and copy the token.",
    token: "API token",
    tokenHint: "It’s only sent to Cloudflare, and forgotten afterwards.",
    kept: "The token from your keyring is used.",
    forget: "Forget the token",
    forgotten: "Token forgotten",
    domain: "Your own domain (optional)",
    domainHint:
      "Without one, the address ends in workers.dev, which can’t be reached from mainland China. The domain must be in the same account.",
    subdomain: "Name at workers.dev",
    subdomainHint: "Part of the address. It’s for the whole account and stays.",
    account: "Account",
    accountId: "Account ID",
    accountHint: "32 digits and letters, in the address of Cloudflare’s dashboard.",
    keep: "Keep the token in the keyring",
    keepHint: "For updates of the Worker. Otherwise you paste a token again then.",
    more: "More than 5 GB of pictures?",
    r2: "Keep pictures in R2",
    r2Hint: "Cloudflare’s object store has room for more, and asks for a payment method.",
    waiting: (url: string) => `Waiting for ${url}. A new name takes a few minutes.`,
    notYet: (why: string) =>
      `Not there yet: ${why} Porchlight keeps checking in the background; you can close this window.`,
    stop: "Stop waiting",
    inUse:
      "New pictures go there now. Move those that you have, so that they show while this computer is off.",
    tunnel:
      "With the Worker, you need a tunnel only for uploads and status updates from elsewhere, such as your phone.",
    worker: (name: string, version: string) => `Worker “${name}”, version ${version}`,
    newer: (from: string, to: string) => `Update the Worker from ${from} to ${to}?`,
    newerHint:
      "It gets the code of this Porchlight. Address, key, pictures and status are kept. The change log of Porchlight says what is new.",
  };
}
