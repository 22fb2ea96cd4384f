// What is typed for the Worker's set-up. It stays while a task runs and after it fails.

import type { EdgeRequest, EdgeTask } from "../api/types";
import type { EdgeField } from "./edge-phases";

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

  /** Shows this field from now on. */
  ask(field: EdgeField) {
    if (!this.asked.includes(field)) this.asked = [...this.asked, field];
  }

  /** A task with what was typed. */
  request(task: EdgeTask): EdgeRequest {
    const { token, keepToken, account, domain, subdomain, r2 } = this;
    return { task, token, keepToken, account, domain, subdomain, r2 };
  }
}
