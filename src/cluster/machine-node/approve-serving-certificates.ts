/**
 * Approves kubelets' requests for serving certificates, which upstream leaves to the cluster's operator: a node asks for
 * itself, and for names and addresses that its Node has.
 */
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import type { Node } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { enqueueOnChange, InformerFactory, isConflict, isNotFound, type Client } from '../../client/index.ts';
import {
  hasCondition,
  KUBELET_SERVING,
  readRequest,
  refusal,
  type RequestedCertificate,
} from '../../controller-manager/index.ts';
import { RunGroup, runWorkers, WorkQueue, type Context } from '../../kernel/index.ts';

const REQUESTS = 'certificates.k8s.io/v1/certificatesigningrequests';
/** A node may ask before it has told its addresses. */
const RETRY_MS = 100;
const GIVE_UP_MS = 60_000;

export async function approveServingCertificates(ctx: Context, client: Client): Promise<void> {
  const group = new RunGroup(ctx);
  const informers = new InformerFactory({ ...ctx, signal: group.signal }, { client });
  const requests = informers.informer(REQUESTS, { fieldSelector: `spec.signerName=${KUBELET_SERVING}` });
  const queue = new WorkQueue<string>({ clock: ctx.clock });
  enqueueOnChange(requests, queue);
  group.start('informers', () => informers.run());
  group.start('approver', (signal) =>
    runWorkers({
      queue,
      workers: 1,
      signal,
      logger: ctx.logger,
      isExpected: isConflict,
      handle: async (name) => {
        const request = requests.get(name);
        if (request === undefined || !isPending(request)) return;
        const node = await nodeOf(client, request, signal);
        if (node && isOwn(readRequest(request), request, node)) return approve(ctx, client, request);
        const age = ctx.clock.now() - Date.parse(request.metadata.creationTimestamp ?? '');
        if (age < GIVE_UP_MS) queue.addAfter(name, RETRY_MS);
      },
    }),
  );
  await group.wait();
}

const isPending = (request: CertificateSigningRequest): boolean =>
  !request.status?.certificate && !hasCondition(request, 'Approved') && !hasCondition(request, 'Denied');

async function nodeOf(
  client: Client,
  { spec }: CertificateSigningRequest,
  signal: AbortSignal,
): Promise<Node | undefined> {
  const name = /^system:node:(.+)$/.exec(spec.username ?? '')?.[1];
  if (name === undefined || !spec.groups?.includes('system:nodes')) return undefined;
  return client
    .resource('v1/nodes')
    .get({ name }, { signal })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
}

function isOwn(requested: RequestedCertificate, { spec }: CertificateSigningRequest, node: Node): boolean {
  if (refusal(KUBELET_SERVING, requested, spec.usages ?? []) !== undefined) return false;
  if (requested.commonName !== spec.username) return false;
  const known = new Set([node.metadata.name, ...(node.status?.addresses ?? []).map(({ address }) => address)]);
  return requested.names.every(({ value }) => known.has(value));
}

async function approve({ clock, signal }: Context, client: Client, request: CertificateSigningRequest): Promise<void> {
  const condition = {
    type: 'Approved',
    status: 'True',
    reason: 'AutoApproved',
    message: "The names and addresses are the node's own.",
    lastUpdateTime: formatTime(clock.now()),
  };
  const status = { ...request.status, conditions: [...(request.status?.conditions ?? []), condition] };
  await client
    .resource(REQUESTS)
    .subresource({ name: request.metadata.name ?? '' }, 'approval')
    .update({ ...request, status }, { signal });
}
