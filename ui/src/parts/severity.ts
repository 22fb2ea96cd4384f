// The severity of a status.

/**
 * - `good`: it works
 * - `warn`: it needs the owner, or will soon
 * - `bad`: it does not work
 * - `off`: it is not wanted, or there is nothing to say
 */
export type Severity = "good" | "warn" | "bad" | "off";
