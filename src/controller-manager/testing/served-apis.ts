/** APIs that the server has not by itself, for the controllers that need them; see `testing-properties.ts`. */
import type { JSONSchemaProps } from '../../api/generated/apiextensions-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { cachedObjects, changeResource } from '../../apiserver/testing/index.ts';
import { defineResource, type ApiObject } from '../../client/index.ts';
import { type FieldError, invalidValue, path } from '../../machinery/errors/index.ts';
import { parseLabelSelector } from '../../machinery/selectors/index.ts';
import { clusterTrustBundleName } from '../../machinery/validation/signer-name.ts';
import type { ControllerFixture } from './index.ts';

interface ClusterTrustBundle extends ApiObject {
  spec: { signerName?: string; trustBundle: string };
}

export interface StorageVersion extends ApiObject {
  spec: object;
  status?: {
    storageVersions?: { apiServerID: string; encodingVersion: string; decodableVersions: string[] }[];
    commonEncodingVersion?: string;
    conditions?: { type: string; status: string; reason: string; message: string; lastTransitionTime?: string }[];
  };
}

export const CLUSTER_TRUST_BUNDLES = defineResource<ClusterTrustBundle>({
  group: 'certificates.k8s.io',
  version: 'v1beta1',
  plural: 'clustertrustbundles',
  kind: 'ClusterTrustBundle',
  namespaced: false,
});
export const STORAGE_VERSIONS = defineResource<StorageVersion>({
  group: 'internal.apiserver.k8s.io',
  version: 'v1alpha1',
  plural: 'storageversions',
  kind: 'StorageVersion',
  namespaced: false,
});

const ANYTHING: JSONSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const TEXT: JSONSchemaProps = { type: 'string' };

interface DefinedKind {
  readonly resource: typeof CLUSTER_TRUST_BUNDLES | typeof STORAGE_VERSIONS;
  readonly properties: Readonly<Record<string, JSONSchemaProps>>;
  readonly selectableFields?: { jsonPath: string }[];
  /** The ServiceAccount of the controller that needs the kind, and the role that upstream's server makes for it along with the API. */
  readonly account: string;
  readonly rules: PolicyRule[];
}

/** To clients a kind that is defined is like one that is built in. */
async function define(
  fixture: ControllerFixture,
  { resource: { group, version, plural, kind }, properties, selectableFields, account, rules }: DefinedKind,
): Promise<void> {
  const name = `${plural}.${group}`;
  const definitions = fixture.client.resource('apiextensions.k8s.io/v1/customresourcedefinitions');
  await definitions.create({
    metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved, stands in for the built-in API' } },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, kind, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties } },
          ...('status' in properties ? { subresources: { status: {} } } : {}),
          ...(selectableFields ? { selectableFields } : {}),
        },
      ],
    },
  });
  await fixture.until(`${kind} is served`, async () =>
    ((await definitions.get({ name })).status?.conditions ?? []).some(
      ({ type, status }) => type === 'Established' && status === 'True',
    ),
  );
  const role = `system:controller:${account}`;
  await fixture.client
    .resource('rbac.authorization.k8s.io/v1/clusterroles')
    .create({ metadata: { name: role }, rules });
  await fixture.client.resource('rbac.authorization.k8s.io/v1/clusterrolebindings').create({
    metadata: { name: role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', namespace: 'kube-system', name: account }],
  });
  /** It is served once more when the names that the server has accepted come back to it. */
  await fixture.advance(1_000);
}

export const serveStorageVersions = (fixture: ControllerFixture): Promise<void> =>
  define(fixture, {
    resource: STORAGE_VERSIONS,
    properties: { spec: ANYTHING, status: ANYTHING },
    account: 'storage-version-garbage-collector',
    rules: [
      { verbs: ['get', 'list', 'watch'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
      {
        verbs: ['get', 'list', 'watch', 'patch', 'update', 'delete'],
        apiGroups: ['internal.apiserver.k8s.io'],
        resources: ['storageversions'],
      },
      {
        verbs: ['get', 'patch', 'update'],
        apiGroups: ['internal.apiserver.k8s.io'],
        resources: ['storageversions/status'],
      },
    ],
  });

export async function serveClusterTrustBundles(fixture: ControllerFixture): Promise<void> {
  const spec: JSONSchemaProps = {
    type: 'object',
    properties: { signerName: TEXT, trustBundle: TEXT },
    required: ['trustBundle'],
  };
  await define(fixture, {
    resource: CLUSTER_TRUST_BUNDLES,
    properties: { spec },
    selectableFields: [{ jsonPath: '.spec.signerName' }],
    account: 'kube-apiserver-serving-clustertrustbundle-publisher',
    rules: [
      {
        verbs: ['attest'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['signers'],
        resourceNames: ['kubernetes.io/kube-apiserver-serving'],
      },
      {
        verbs: ['create', 'update', 'delete', 'list', 'watch'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['clustertrustbundles'],
      },
    ],
  });
  /** Bundles have colons in their names, which no custom kind may have. */
  const named = (errors: FieldError[], bundle: { metadata?: ObjectMeta; spec?: ClusterTrustBundle['spec'] }): void => {
    const name = bundle.metadata?.name ?? '';
    for (const message of clusterTrustBundleName(name, bundle.spec?.signerName ?? ''))
      errors.push(invalidValue(path('metadata', 'name'), name, message));
  };
  changeResource(fixture.server, CLUSTER_TRUST_BUNDLES, ({ validation }) => ({
    validation: { ...validation, create: [named], update: [named] },
  }));
}

/** What all pods of an application use together, in thousandths of a CPU; it says so itself, in its pods' annotations. */
export const LOAD_ANNOTATION = 'load';
/** A metric of nothing in the cluster, whose value is in the selector that it is asked for with: `value=250`. */
export const EXTERNAL_METRIC = 'jobs-waiting';

const usageOf = (pods: readonly Pod[]): object[] =>
  pods.map(({ metadata, spec }) => {
    const usage = { cpu: `${Math.floor(Number(metadata.annotations?.[LOAD_ANNOTATION]) / pods.length)}m` };
    return {
      metadata: { name: metadata.name, namespace: metadata.namespace },
      containers: (spec?.containers ?? []).map(({ name }) => ({ name, usage })),
    };
  });

/** Metrics that hang on nothing but what is in the cluster: what an autoscaler comes to in the end can be told beforehand. */
export function serveMetrics({ server }: ControllerFixture): Promise<void> {
  const priorities = { version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100 };
  server.pipeline.registerApi({
    ...priorities,
    group: 'metrics.k8s.io',
    resources: [
      {
        resource: 'pods',
        singularResource: '',
        scope: 'Namespaced',
        responseKind: { group: 'metrics.k8s.io', version: 'v1beta1', kind: 'PodMetrics' },
        verbs: ['get', 'list'],
      },
    ],
    get({ namespace, query }) {
      const matcher = parseLabelSelector(query.get('labelSelector') ?? '');
      const pods = cachedObjects(server, { group: '', version: 'v1', plural: 'pods' }, namespace) as readonly Pod[];
      return {
        kind: 'PodMetricsList',
        apiVersion: 'metrics.k8s.io/v1beta1',
        metadata: {},
        items: usageOf(
          pods.filter(({ metadata, status }) => status?.phase === 'Running' && matcher.matches(metadata.labels ?? {})),
        ),
      };
    },
  });
  server.pipeline.registerApi({
    ...priorities,
    group: 'external.metrics.k8s.io',
    resources: [
      {
        resource: EXTERNAL_METRIC,
        singularResource: '',
        scope: 'Namespaced',
        responseKind: { group: 'external.metrics.k8s.io', version: 'v1beta1', kind: 'ExternalMetricValueList' },
        verbs: ['get', 'list'],
      },
    ],
    get: ({ query }) => ({
      kind: 'ExternalMetricValueList',
      apiVersion: 'external.metrics.k8s.io/v1beta1',
      metadata: {},
      items: [{ metricName: EXTERNAL_METRIC, value: (query.get('labelSelector') ?? '').replace('value=', '') }],
    }),
  });
  return Promise.resolve();
}
