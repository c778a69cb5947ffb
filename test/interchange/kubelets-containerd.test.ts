/** Each kubelet on containerd, one after the other while a pod runs. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { requires } from '../requires.ts';
import type { Side } from './control-plane.ts';
import { errorsOfUpstreamAlone, exchangeKubelets, KUBELETS, KubeletNode } from './kubelet-node.ts';
import { errorsNotIn } from './logs.ts';

const missing = requires(...KUBELETS, 'containerd', 'ctr');
const title = `exchanging kubelets on containerd${missing ? ` (skipped: ${missing})` : ''}`;

let node: KubeletNode | undefined;
afterEach(async () => {
  await node?.close();
  node = undefined;
});

describe.skipIf(missing)(title, { timeout: 400_000 }, () => {
  let alone: readonly string[] = [];
  beforeAll(async () => {
    alone = await errorsOfUpstreamAlone('containerd');
  }, 400_000);

  it.each<[Side, Side, Side]>([
    ['k8ts', 'upstream', 'k8ts'],
    ['upstream', 'k8ts', 'upstream'],
  ])('on the API server of %s, first %s, then %s, and back', async (apiServer, first, second) => {
    node = await KubeletNode.create({ apiServer, runtime: 'containerd' });
    await exchangeKubelets(node, { first, second });
    expect(errorsNotIn(alone, node.errors())).toEqual([]);
  });
});
