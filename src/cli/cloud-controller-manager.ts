/** `k8ts cloud-controller-manager`: a cloud's controllers as a process of their own. */
import fs from 'node:fs';
import os from 'node:os';
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import { connect, loadKubeconfig } from '../client/index.ts';
import {
  cloudControllerManagerHelp,
  loadProvider,
  parseCloudControllerManagerFlags,
  run as runManager,
} from '../cloud-controller-manager/index.ts';
import { UsageError } from '../flags/index.ts';
import { checkKubeconfig } from './check-kubeconfig.ts';
import { untilSignal } from './until-signal.ts';

export { cloudControllerManagerFlags as flags } from '../cloud-controller-manager/index.ts';

export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseCloudControllerManagerFlags(argv);
  if (flags.help) {
    console.log(cloudControllerManagerHelp());
    return 0;
  }
  if (!flags.provider || flags.provider === 'local') {
    throw new UsageError('--cloud-provider must name the module of a provider; only "k8ts up" runs the local cloud');
  }
  const provider = await loadProvider(
    flags.provider,
    flags.cloudConfig ? fs.readFileSync(flags.cloudConfig, 'utf8') : undefined,
  );
  await checkKubeconfig(argv);
  const { ctx, release } = untilSignal({
    name: 'cloud-controller-manager',
    tracer: 'memory',
    ...flags.context,
  });
  for (const warning of flags.warnings) ctx.logger.warn(warning);
  const client = connect(
    ctx,
    await loadKubeconfig({ clock: ctx.clock, ...(flags.kubeconfig ? { file: flags.kubeconfig } : {}) }),
    { userAgent: `cloud-controller-manager/${KUBERNETES_VERSION}` },
  );
  try {
    await runManager(ctx, { client, provider, config: flags.config, identity: `${os.hostname()}_${ctx.random.uid()}` });
    return 0;
  } finally {
    await client.close();
    release();
  }
}
