/** The message of a cluster that is ready. */
import type { Clock } from '../kernel/index.ts';
import { bold, green } from './output.ts';

export interface Ready {
  readonly server: string;
  readonly kubeconfig: string | undefined;
  readonly pid: number;
  readonly readySeconds: number;
  readonly notice?: string;
}

/** What the user waited: the monotonic clock starts with the process. */
export const secondsSinceProcessStart = (clock: Clock): number => clock.monotonic() / 1000;

export function printReady(format: string, ready: Ready): void {
  if (format === 'json') {
    console.log(JSON.stringify(ready));
    return;
  }
  console.log(`API server   ${ready.server}`);
  if (ready.kubeconfig)
    console.log(
      `kubeconfig   ${ready.kubeconfig}\n\n  ${bold(`export KUBECONFIG=${ready.kubeconfig}`)}\n  kubectl get nodes\n`,
    );
  if (ready.notice) console.log(ready.notice);
  console.log(green(`ready in ${ready.readySeconds.toFixed(2)} s`));
}
