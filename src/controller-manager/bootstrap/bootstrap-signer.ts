/**
 * bootstrap-signer-controller: signs the ConfigMap kube-public/cluster-info with every bootstrap token, so that
 * joining nodes can verify it.
 */
import { createHmac } from 'node:crypto';
import { deepEqual } from '../../base/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { BOOTSTRAP_TOKEN_SCOPE, signingToken } from './bootstrap-tokens.ts';

const CLUSTER_INFO = 'kube-public/cluster-info';
const SIGNATURE_PREFIX = 'jws-kubeconfig-';
const KUBECONFIG = 'kubeconfig';

export const bootstrapSignerController: ControllerDescriptor = {
  name: 'bootstrap-signer-controller',
  aliases: ['bootstrapsigner'],
  disabledByDefault: true,
  build(context) {
    const { clock, informers, signal } = context;
    const infos = informers.informer('v1/configmaps', {
      namespace: 'kube-public',
      fieldSelector: 'metadata.name=cluster-info',
    });
    const tokens = informers.informer('v1/secrets', BOOTSTRAP_TOKEN_SCOPE);

    const reconcile = async (_key: string, { client }: ControllerContext): Promise<void> => {
      const info = infos.get(CLUSTER_INFO);
      const content = info?.data?.[KUBECONFIG];
      if (!info || content === undefined) return;
      const data = Object.fromEntries(
        Object.entries(info.data ?? {}).filter(([name]) => !name.startsWith(SIGNATURE_PREFIX)),
      );
      for (const secret of tokens.list()) {
        const token = signingToken(secret, clock.now());
        if (token) data[`${SIGNATURE_PREFIX}${token.id}`] = detachedSignature(content, token);
      }
      if (deepEqual(data, info.data)) return;
      await ignoreNotFound(() => client.resource('v1/configmaps').update({ ...info, data }, { signal }));
    };

    const { queue, run } = keyedLoop(context, 'bootstrap_signer_queue', 1, reconcile);
    enqueueOnChange(infos, queue, () => CLUSTER_INFO);
    enqueueOnChange(tokens, queue, () => CLUSTER_INFO);
    return run;
  },
};

/** A JWS without its payload, which the verifier already has. */
function detachedSignature(content: string, token: { id: string; secret: string }): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: token.id })).toString('base64url');
  const payload = Buffer.from(content).toString('base64url');
  return `${header}..${createHmac('sha256', token.secret).update(`${header}.${payload}`).digest('base64url')}`;
}
