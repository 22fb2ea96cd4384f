// What is typed for the Worker's set-up. It stays while a task runs and after it fails; the token is
// cleared when a task is done.

import type { EdgeRequest, EdgeTask, EdgeWork } from "../api/types";
import { type EdgeField, neededField } from "./edge-phases";

/** The fields of the form. */
export class EdgeFields {
  token = $state("");
  domain = $state("");
  subdomain = $state("");
  account = $state("");
  keepToken = $state(false);
  r2 = $state(false);
  /** Fields that a failure asked for. */
  asked = $state.raw<EdgeField[]>([]);

  /** Adapts the fields to what a task came to. */
  follow(work: EdgeWork) {
    const field = neededField(work);
    if (field !== null && !this.asked.includes(field)) this.asked = [...this.asked, field];
    if (work.state === "done") this.token = "";
  }

  /** A task with what was typed. */
  request(task: EdgeTask): EdgeRequest {
    const { token, keepToken, account, domain, subdomain, r2 } = this;
    return { task, token, keepToken, account, domain, subdomain, r2 };
  }
}
