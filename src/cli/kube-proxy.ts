/** `k8ts kube-proxy`: one node's proxy as a process of its own. */
import fs from 'node:fs';
import os from 'node:os';
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import { connect, loadKubeconfig } from '../client/index.ts';
import { kubeProxyHelp, parseKubeProxyFlags, removeRules, run as runProxy } from '../kube-proxy/index.ts';
import { checkKubeconfig } from './check-kubeconfig.ts';
import { untilSignal } from './until-signal.ts';

export { kubeProxyFlags as flags } from '../kube-proxy/index.ts';

export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseKubeProxyFlags(argv);
  if (flags.help) {
    console.log(kubeProxyHelp());
    return 0;
  }
  const config = flags.config((path) => fs.readFileSync(path, 'utf8'));
  if (flags.cleanUp) {
    await removeRules();
    return 0;
  }
  await checkKubeconfig(argv);
  const { ctx, release } = untilSignal({ name: 'kube-proxy', ...flags.context });
  for (const warning of flags.warnings) ctx.logger.warn(warning);
  const client = connect(
    ctx,
    await loadKubeconfig({ clock: ctx.clock, ...(config.kubeconfig ? { file: config.kubeconfig } : {}) }),
    { userAgent: `kube-proxy/${KUBERNETES_VERSION}` },
  );
  try {
    await runProxy(ctx, { client, config, nodeName: (config.hostnameOverride || os.hostname()).toLowerCase() });
    return 0;
  } finally {
    await client.close();
    release();
  }
}
