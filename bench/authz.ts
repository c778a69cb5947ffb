import type { AdmissionAttributes } from '../src/apiserver/admission/admission.ts';
import { ReinvocationContext } from '../src/apiserver/admission/reinvocation.ts';
import type { AuthorizationAttributes } from '../src/apiserver/authz/authorizer.ts';
import { parseRequestInfo } from '../src/apiserver/request/request-info.ts';
import type { ApiRequest, UserInfo } from '../src/apiserver/request/request.ts';
import { partsOf, startTestServer, type TestServer } from '../src/apiserver/testing/index.ts';
import type { KubeObject } from '../src/machinery/object.ts';
import { callsPerSecond, type BenchOptions, type Row } from './harness.ts';

export const name = 'authz';

/** Of each: Roles, RoleBindings, ClusterRoles, ClusterRoleBindings. */
const OBJECTS = 250;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** What stands between a request and its verb, with the bootstrap roles and a thousand more RBAC objects. */
export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const server = await startTestServer();
  try {
    await addRoles(server);
    const { authorizer, flowControl } = partsOf(server);
    const user: UserInfo = { name: 'user-7', groups: ['team-3', 'system:authenticated'] };
    const question = (verb: string): AuthorizationAttributes => ({
      user,
      verb,
      isResourceRequest: true,
      apiGroup: '',
      apiVersion: 'v1',
      namespace: 'default',
      resource: 'pods',
      subresource: '',
      name: '',
      path: '',
    });
    const [allowed, denied] = [question('create'), question('deletecollection')];
    if (!isAllowed(server, allowed) || isAllowed(server, denied))
      throw new Error('the roles are not what the bench expects');

    const target = { path: '/api/v1/namespaces/default/pods', query: new URLSearchParams() };
    const info = parseRequestInfo('POST', target.path, target.query);
    const request: ApiRequest = {
      method: 'POST',
      ...target,
      headers: {},
      readBody: () => Promise.resolve(Buffer.alloc(0)),
      remoteAddress: '',
      signal: server.ctx.signal,
    };
    const microseconds = (work: () => void): number => 1e6 / callsPerSecond(work, durationMs);
    return [
      {
        work: 'authorize what a role allows',
        value: microseconds(() => void authorizer.authorize(allowed)),
        unit: 'µs',
        atMost: 10,
      },
      {
        work: 'refuse what none allows',
        value: microseconds(() => void authorizer.authorize(denied)),
        unit: 'µs',
        atMost: 10,
      },
      {
        work: 'enter and leave flow control, nobody waiting',
        value: microseconds(() => {
          const admitted = flowControl.enter(user, info, request);
          if (admitted instanceof Promise) throw new Error('somebody is waiting');
          admitted.leave();
        }),
        unit: 'µs',
        atMost: 5,
      },
      {
        work: 'authorize and admit a Pod create',
        value: await authorizeAndAdmit(server, allowed, durationMs),
        unit: 'µs',
        atMost: 100,
      },
    ];
  } finally {
    await server.stop();
  }
}

const isAllowed = (server: TestServer, attributes: AuthorizationAttributes): boolean => {
  const decision = partsOf(server).authorizer.authorize(attributes);
  return !(decision instanceof Promise) && decision.decision === 'allow';
};

async function addRoles({ call }: TestServer): Promise<void> {
  const rules = (i: number): object[] => [
    { apiGroups: [''], resources: i === 7 ? ['pods'] : [`things-${i}`], verbs: ['get', 'create'] },
  ];
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  for (let i = 0; i < OBJECTS; i++) {
    const metadata = { name: `bench-${i}` };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name };
    const subjects = [
      { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `user-${i}` },
      { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: `team-${i % 20}` },
    ];
    const created = await Promise.all([
      call('POST', `${RBAC}/namespaces/default/roles`, {
        body: { apiVersion, kind: 'Role', metadata, rules: rules(i) },
      }),
      call('POST', `${RBAC}/namespaces/default/rolebindings`, {
        body: { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects },
      }),
      call('POST', `${RBAC}/clusterroles`, {
        body: { apiVersion, kind: 'ClusterRole', metadata, rules: rules(i + 1000) },
      }),
      call('POST', `${RBAC}/clusterrolebindings`, {
        body: {
          apiVersion,
          kind: 'ClusterRoleBinding',
          metadata,
          roleRef: { ...roleRef, kind: 'ClusterRole' },
          subjects,
        },
      }),
    ]);
    for (const { status, text } of created) if (status !== 201) throw new Error(text);
  }
}

async function authorizeAndAdmit(
  server: TestServer,
  attributes: AuthorizationAttributes,
  durationMs: number,
): Promise<number> {
  const backend = partsOf(server);
  const served = backend.registry.require('', 'v1', 'pods');
  const pod = (): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu: '100m' } } }] },
  });
  const admitted = (object: KubeObject): AdmissionAttributes => ({
    operation: 'CREATE',
    served,
    groupResource: served.groupResource,
    kind: served,
    subresource: '',
    namespace: 'default',
    name: 'p',
    object,
    oldObject: undefined,
    user: attributes.user,
    dryRun: false,
    options: undefined,
    registry: backend.registry,
    reinvocation: new ReinvocationContext(),
    warn: () => {},
    annotate: () => {},
  });
  const start = performance.now();
  let calls = 0;
  const once = async (): Promise<void> => {
    await backend.authorizer.authorize(attributes);
    const create = admitted(pod());
    await backend.admission.admit(create);
    await backend.admission.validate(create);
  };
  for (let i = 0; i < 2000; i++) await once();
  const measuredFrom = performance.now();
  for (; performance.now() - start < durationMs || calls === 0; calls++) await once();
  return ((performance.now() - measuredFrom) * 1000) / calls;
}
