// The props of the steps of the first run.

/** Navigation between steps. */
export interface StepProps {
  next: () => void;
  /** None for the first one. */
  back?: (() => void) | undefined;
  /** Ends the first run; whether that was saved. */
  end: () => Promise<boolean>;
}
