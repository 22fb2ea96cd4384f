// The severity of a status.

/**
 * - `good`: it works
 * - `warn`: it needs attention, or will soon
 * - `bad`: it does not work
 * - `off`: it is disabled, or there is nothing to report
 */
export type Severity = "good" | "warn" | "bad" | "off";
