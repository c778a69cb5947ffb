/** Whether a pod would fit: admission by a dry run as the user who asks, then the scheduler's own plugins. Nothing is created. */
import type { Pod } from '../api/generated/core-v1.ts';
import { isRecord } from '../base/index.ts';
import type { ConsoleQuestion } from '../console/index.ts';
import { badRequest, failure } from '../machinery/errors/index.ts';

/** undefined while no scheduler of that process runs. */
export type WouldFit = (pod: Pod) => Promise<object | undefined>;

export async function fitAnswer(
  { body, client, asKubeconfigUser, signal }: ConsoleQuestion,
  wouldFit: WouldFit | undefined,
): Promise<object> {
  const pod = body?.['pod'];
  if (!isRecord(pod) || !isRecord(pod['metadata'])) throw badRequest('pod must be a Pod with metadata');
  const namespace = typeof pod['metadata']['namespace'] === 'string' ? pod['metadata']['namespace'] : 'default';
  const asked = { ...pod, metadata: { ...pod['metadata'], namespace } } as unknown as Pod;
  const admitted = await client.resource('v1/pods').create(asked, { dryRun: true, signal });
  // The scheduler tells about all nodes, so only the cluster's own user may ask it.
  if (!wouldFit || !asKubeconfigUser) throw failure(501, 'NotImplemented', UNKNOWN, {});
  const fit = await wouldFit(admitted);
  if (!fit) throw failure(503, 'ServiceUnavailable', 'No scheduler of this cluster runs in its process.', {});
  return fit;
}

const UNKNOWN =
  'The API server would accept the pod. Where it would run, only a scheduler of k8ts in the same cluster tells, and only to the user of the kubeconfig.';
