/** The user of the request is the requester of the certificate; approval has an endpoint of its own. */
import type { CertificateSigningRequest } from '../../../api/generated/certificates-v1.ts';
import type { PodCertificateRequest } from '../../../api/generated/certificates-v1beta1.ts';
import { cloneJson, formatTime, parseTime } from '../../../base/index.ts';
import { invalidValue, path } from '../../../machinery/errors/index.ts';
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
    request.spec = cloneJson(old.spec);
  },
  prepareForStatusUpdate(request, old, context) {
    keepDecisions(request, old);
    stampConditions(request, old, context);
  },
  subresources: {
    approval: {
      prepareForUpdate(request, old, context) {
        request.spec = cloneJson(old.spec);
        const status = (request.status ??= {});
        if (old.status?.certificate === undefined) delete status.certificate;
        else status.certificate = old.status.certificate;
        stampConditions(request, old, context);
      },
      resetFields: ['spec', 'status.certificate'],
    },
  },
};

/**
 * A signer cannot approve or deny: the decisions that it sends back are those of the stored object; validation refuses
 * others.
 */
function keepDecisions(request: Request, old: Request): void {
  const conditions = request.status?.conditions ?? [];
  for (const type of DECISIONS) {
    const before = (old.status?.conditions ?? []).filter((condition) => condition.type === type);
    const places = conditions.flatMap((condition, i) => (condition.type === type ? [i] : []));
    if (places.length === before.length)
      for (const [n, place] of places.entries()) conditions[place] = cloneJson(before[n]!);
  }
}

function stampConditions(request: Request, old: Request, { ctx }: WriteContext): void {
  const now = formatTime(ctx.clock.now());
  for (const condition of request.status?.conditions ?? []) {
    const before = old.status?.conditions?.find(
      ({ type, status }) => type === condition.type && status === condition.status,
    );
    condition.lastUpdateTime ||= now;
    condition.lastTransitionTime ||= before?.lastTransitionTime || now;
  }
}

const CLOCK_SKEW_MS = 5 * 60 * 1000;

export const podCertificateRequests: Strategy<ObjectOf<PodCertificateRequest>> = {
  requireResourceVersionOnUpdate: true,
  ownsSentStatus: true,
  statusMetadata: 'none',
  statusResetFields: ['spec'],
  validate({ status }, old, { ctx }) {
    const notBefore = status?.notBefore;
    if (!old || !notBefore || notBefore === old.status?.notBefore) return [];
    if (Math.abs(parseTime(notBefore) - ctx.clock.now()) < CLOCK_SKEW_MS) return [];
    const detail = "must be set to within 5 minutes of kube-apiserver's current time";
    return [invalidValue(path('status', 'notBefore'), notBefore, detail)];
  },
};
