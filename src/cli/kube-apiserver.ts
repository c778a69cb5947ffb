/** `k8ts kube-apiserver`: the API server alone, over an etcd, with upstream's flags. */
import { apiServerHelp, parseApiServerFlags, runApiServerCommand, type UserInfo } from '../apiserver/index.ts';
import { Client } from '../client/index.ts';
import { inProcessTransport } from '../cluster/index.ts';
import { contextOptions } from '../flags/index.ts';
import { glassApi } from '../glass/index.ts';
import { untilSignal } from './until-signal.ts';

export { apiServerFlags as flags } from '../apiserver/index.ts';

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseApiServerFlags(argv);
  if (parsed.help) {
    console.log(apiServerHelp());
    return 0;
  }
  const { ctx, release } = untilSignal({ name: 'kube-apiserver', tracer: 'memory', ...contextOptions(parsed.values) });
  try {
    await runApiServerCommand(ctx, parsed, ({ registerApi, insight, handle }) => {
      const { tracer, clock, signal } = ctx;
      const clientAs = (user: UserInfo): Client =>
        new Client({ transport: inProcessTransport({ handle, user, signal }), clock, userAgent: 'glass' });
      registerApi(glassApi({ tracer, clock, insight, clientAs }));
    });
    return 0;
  } finally {
    release();
  }
}
