/** Maintains the Dangling condition of each FlowSchema: whether the priority level that it refers to exists. */
import type { FlowSchema, FlowSchemaCondition } from '../../api/generated/flowcontrol-v1.ts';
import { KUBERNETES_VERSION } from '../../api/kubernetes-version.ts';
import { formatTime, quote } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { splitTarget } from '../../net/http/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const MANAGER = 'api-priority-and-fairness-config-consumer-v1';
const SELF = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

/** Follows both kinds until the context ends; `handle` is the server's own pipeline. */
export function keepDanglingConditions(
  ctx: Context,
  registry: Registry,
  handle: (request: ApiRequest) => Promise<ApiResponse>,
): void {
  const schemas = registry.require(GROUP, 'v1', 'flowschemas');
  const levels = registry.require(GROUP, 'v1', 'prioritylevelconfigurations');
  const pending = new Set<string>();
  let working = false;

  const work = async (): Promise<void> => {
    working = true;
    try {
      for (const name of pending) {
        pending.delete(name);
        if (ctx.signal.aborted) return;
        const schema = schemas.cache.get('', name)?.object as unknown as FlowSchema | undefined;
        const condition = schema && wantedCondition(ctx, schema, (level) => levels.cache.get('', level) !== undefined);
        if (condition) await apply(ctx, handle, name, condition);
      }
    } finally {
      working = false;
    }
  };
  const check = (name: string): void => {
    pending.add(name);
    if (working || ctx.signal.aborted) return;
    working = true;
    ctx.clock
      .yield()
      .then(work)
      .catch((error: unknown) => ctx.logger.error(error, 'Failed to update the Dangling condition of a FlowSchema'));
  };
  schemas.cache.watch({ scope: '', deliver: ({ type, entry }) => type !== 'DELETED' && check(entry.name) });
  levels.cache.watch({
    scope: '',
    deliver: ({ type }) => type !== 'MODIFIED' && schemas.cache.list().forEach(({ name }) => check(name)),
  });
  for (const { name } of schemas.cache.list()) check(name);
}

/** undefined when the condition is up to date. */
function wantedCondition(
  ctx: Context,
  { spec, status }: FlowSchema,
  exists: (level: string) => boolean,
): FlowSchemaCondition | undefined {
  const level = spec?.priorityLevelConfiguration?.name ?? '';
  const found = exists(level);
  const current = status?.conditions?.find(({ type }) => type === 'Dangling');
  const condition: FlowSchemaCondition = {
    type: 'Dangling',
    status: found ? 'False' : 'True',
    reason: found ? 'Found' : 'NotFound',
    message: `This FlowSchema references the PriorityLevelConfiguration object named ${quote(level)} ${found ? 'and it exists' : 'but there is no such object'}`,
  };
  const sameStatus = current !== undefined && current.status === condition.status;
  if (sameStatus && current.message === condition.message && current.reason === condition.reason) return undefined;
  const since = sameStatus ? current.lastTransitionTime : undefined;
  return { ...condition, lastTransitionTime: since ?? formatTime(ctx.clock.now()) };
}

async function apply(
  ctx: Context,
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  name: string,
  condition: FlowSchemaCondition,
): Promise<void> {
  const body = {
    apiVersion: `${GROUP}/v1`,
    kind: 'FlowSchema',
    metadata: { name },
    status: { conditions: [condition] },
  };
  const target = `/apis/${GROUP}/v1/flowschemas/${encodeURIComponent(name)}/status?fieldManager=${MANAGER}&force=true`;
  const { status } = await handle({
    method: 'PATCH',
    ...splitTarget(target),
    headers: {
      accept: 'application/json',
      'content-type': 'application/apply-patch+yaml',
      'user-agent': `kube-apiserver/${KUBERNETES_VERSION}`,
    },
    readBody: () => Promise.resolve(Buffer.from(JSON.stringify(body))),
    user: SELF,
    remoteAddress: '127.0.0.1',
    signal: ctx.signal,
  });
  // A FlowSchema that was deleted meanwhile needs no condition.
  if (status >= 400 && status !== 404 && !ctx.signal.aborted)
    throw new Error(`updating the status of FlowSchema ${name} failed with ${status}`);
}
