/** The message of a cluster that is ready. */
import type { Clock } from '../kernel/index.ts';
import { bold, green } from './output.ts';

export interface Ready {
  readonly server: string;
  readonly kubeconfig: string | undefined;
  readonly pid: number;
  readonly readySeconds: number;
  /** Where Ingresses are served, if they are. */
  readonly ingress?: Ingresses;
  /** A link that signs in to the web console once. */
  readonly console?: string;
  readonly notice?: string;
}

export interface Ingresses {
  readonly address: string;
  readonly httpPort: number;
  readonly httpsPort: number;
}

const isUsual = ({ httpPort, httpsPort }: Ingresses): boolean => httpPort === 80 && httpsPort === 443;

/** The base URLs of Ingresses; with the request to try, when the ports are not the usual ones. */
export function describeIngresses(ingress: Ingresses): string {
  const { address, httpPort, httpsPort } = ingress;
  const [http, https] = [
    `http://${address}${httpPort === 80 ? '' : `:${httpPort}`}`,
    `https://${address}${httpsPort === 443 ? '' : `:${httpsPort}`}`,
  ];
  const why = isUsual(ingress) ? '' : ` (port ${httpPort === 80 ? 443 : 80} is not available)`;
  return `${http} and ${https}${why}: curl -H 'Host: NAME' ${http}/`;
}

/** What the user waited: the monotonic clock starts with the process. */
export const secondsSinceProcessStart = (clock: Clock): number => clock.monotonic() / 1000;

export function printReady(format: string, ready: Ready): void {
  if (format === 'json') {
    console.log(JSON.stringify(ready));
    return;
  }
  console.log(`API server   ${ready.server}`);
  if (ready.console) console.log(`console      ${ready.console}`);
  if (ready.kubeconfig)
    console.log(
      `kubeconfig   ${ready.kubeconfig}\n\n  ${bold(`export KUBECONFIG=${ready.kubeconfig}`)}\n  kubectl get nodes\n`,
    );
  if (ready.ingress && !isUsual(ready.ingress))
    console.log(`Ingresses are served on ${describeIngresses(ready.ingress)}`);
  if (ready.notice) console.log(ready.notice);
  console.log(green(`ready in ${ready.readySeconds.toFixed(2)} s`));
}
