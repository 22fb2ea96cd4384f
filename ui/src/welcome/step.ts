// What each step of the first run is given.

/** Where a step leads. */
export interface StepProps {
  next: () => void;
  /** None for the first one. */
  back?: (() => void) | undefined;
  /** Ends the first run; whether that was saved. */
  end: () => Promise<boolean>;
}
