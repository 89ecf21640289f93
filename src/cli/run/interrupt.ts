import { exit, onSignal } from "../../platform/process.ts";
import { Interrupted } from "../failure.ts";

const GRACE_PERIOD = 2000;

/** A second Ctrl-C, or a run that does not end in time, ends the process after `onExit()`. */
export function interruptSignal(
  onExit: () => void,
  gracePeriod: number = GRACE_PERIOD,
): AbortSignal {
  const controller = new AbortController();
  function exitNow(exitCode: number): void {
    try {
      onExit();
    } finally {
      exit(exitCode);
    }
  }
  onSignal((exitCode) => {
    if (controller.signal.aborted) return exitNow(exitCode);
    setTimeout(() => exitNow(exitCode), gracePeriod);
    controller.abort(new Interrupted(exitCode));
  });
  return controller.signal;
}
