/** Who asks for a certificate is whoever sent the request; who approves it does so at an endpoint of its own. */
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../../api/generated/certificates-v1.ts';
import { deepEqual } from '../../../machinery/patch/deep-equal.ts';
import { formatTime } from '../../../machinery/time/index.ts';
import type { ObjectOf, Strategy, WriteContext } from '../strategy.ts';

type Request = ObjectOf<CertificateSigningRequest>;

const DECISIONS = ['Approved', 'Denied'];

export const certificateSigningRequests: Strategy<Request> = {
  resetFields: ['spec'],
  statusResetFields: ['spec', 'status.conditions'],
  prepareForCreate({ spec }, { user }) {
    for (const name of ['username', 'uid', 'groups', 'extra'] as const) delete spec[name];
    if (user.name) spec.username = user.name;
    if (user.uid) spec.uid = user.uid;
    if (user.groups.length > 0) spec.groups = [...user.groups];
    const extra = Object.entries(user.extra ?? {});
    if (extra.length > 0) spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]));
  },
  prepareForUpdate(request, old) {
    request.spec = structuredClone(old.spec);
  },
  prepareForStatusUpdate(request, old, context) {
    keepDecisions(request, old);
    stampConditions(request, old, context);
  },
  subresources: {
    approval: {
      prepareForUpdate(request, old, context) {
        request.spec = structuredClone(old.spec);
        const status = (request.status ??= {});
        if (old.status?.certificate === undefined) delete status.certificate;
        else status.certificate = old.status.certificate;
        stampConditions(request, old, context);
      },
      resetFields: ['spec', 'status.certificate'],
    },
  },
};

/** A signer cannot decide on requests: the decision's conditions are those that were there. */
function keepDecisions(request: Request, old: Request): void {
  const status = (request.status ??= {});
  const conditions = status.conditions ?? [];
  const kept = structuredClone((old.status?.conditions ?? []).filter((c) => DECISIONS.includes(c.type)));
  const result: CertificateSigningRequestCondition[] = [];
  for (const condition of conditions) {
    if (!DECISIONS.includes(condition.type)) result.push(condition);
    else {
      const at = kept.findIndex((c) => c.type === condition.type);
      if (at >= 0) result.push(...kept.splice(at, 1));
    }
  }
  result.push(...kept);
  if (result.length > 0) status.conditions = result;
  else delete status.conditions;
}

function stampConditions(request: Request, old: Request, { ctx }: WriteContext): void {
  const now = formatTime(ctx.clock.now());
  for (const condition of request.status?.conditions ?? []) {
    const before = old.status?.conditions?.find((c) => c.type === condition.type);
    if (before && deepEqual(before, condition)) continue;
    condition.lastUpdateTime ||= now;
    condition.lastTransitionTime ||= before?.status === condition.status && before.lastTransitionTime ? before.lastTransitionTime : now;
  }
}
