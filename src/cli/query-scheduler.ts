/** Queries a scheduler in another process on its secure port, with the kubeconfig's credentials. */
import { connect, loadKubeconfig } from '../client/index.ts';
import type { Explanation } from '../scheduler/index.ts';
import { checkCertificate } from './check-kubeconfig.ts';
import { untilSignal } from './until-signal.ts';

const DEFAULT_ADDRESS = 'https://127.0.0.1:10259';
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

export interface SchedulerQuestion {
  readonly address: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly namespace: string;
  readonly pod: string;
}

export async function queryScheduler({
  address = DEFAULT_ADDRESS,
  kubeconfig,
  namespace,
  pod,
}: SchedulerQuestion): Promise<Explanation> {
  const { ctx, release } = untilSignal({ name: 'explain' });
  try {
    const user = await loadKubeconfig({ clock: ctx.clock, ...(kubeconfig === undefined ? {} : { file: kubeconfig }) });
    await checkCertificate(user, ctx.clock.now(), kubeconfig ?? 'the kubeconfig');
    /** Schedulers have a self-signed certificate by default, which is acceptable on loopback. */
    const insecureSkipTlsVerify = LOOPBACK.has(new URL(address).hostname);
    const client = connect(ctx, {
      server: address,
      credentials: user.credentials,
      namespace,
      ...(insecureSkipTlsVerify ? { insecureSkipTlsVerify } : user.ca === undefined ? {} : { ca: user.ca }),
    });
    try {
      return (await client.request({ method: 'GET', path: '/explain', query: { namespace, pod }, signal: ctx.signal }))
        .body as Explanation;
    } finally {
      await client.close();
    }
  } finally {
    release();
  }
}
