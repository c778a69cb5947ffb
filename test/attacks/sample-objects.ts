/** One valid object of every built-in kind that can be written, by `group/plural`, without what can be derived. */
import { isRemoved, isServedByDefault, schema, type Resource } from '../../src/api/index.ts';
import { apiVersionOf } from '../../src/api/schema.ts';

type Content = Readonly<Record<string, unknown>> & { readonly metadata?: object };

const POD_SPEC = { containers: [{ name: 'c', image: 'registry.test/c' }] };
const SELECTOR = { matchLabels: { app: 'a' } };
const TEMPLATE = { metadata: { labels: { app: 'a' } }, spec: POD_SPEC };
const JOB_TEMPLATE = { spec: { ...POD_SPEC, restartPolicy: 'Never' } };
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const WEBHOOK = {
  name: 'hook.example.com',
  clientConfig: { url: 'https://hook.example.com/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const MATCH = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] }],
};
const VOLUME = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/srv/sample' } };
const CSR_DER =
  'MIHMMHMCAQAwETEPMA0GA1UEAwwGc2FtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9ff6D265kPVUiBRmQ3k4Bh53qykW' +
  'lFmNucgmpmBtPjbNFfpfM6TRe215yPgyGQ6wBx+bWho1UqekrgG/6m1eqqAAMAoGCCqGSM49BAMCA0kAMEYCIQC83PkZrrA1Paog' +
  'H01hiZzOmc+ugKwXFDemOY1ut62CRAIhAJMEg5chCAVMk9k+BZcmik9T/J+6Ra5P+QOaLhsjNMIS';
const CSR = Buffer.from(
  `-----BEGIN CERTIFICATE REQUEST-----\n${CSR_DER.match(/.{1,64}/g)!.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`,
).toString('base64');

const CA_DER =
  'MIIBeDCCAR+gAwIBAgIUVog9XyK665EukzCDvsflQ0g9pckwCgYIKoZIzj0EAwIwETEPMA0GA1UEAwwGc2FtcGxlMCAXDTI2MTEx' +
  'NzE4Mzc0N1oYDzIxMjYxMDI0MTgzNzQ3WjARMQ8wDQYDVQQDDAZzYW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASkNPfp' +
  'aQCafj4JRtHrz0iO5Ki/D4jYlbEiB88UF+JiHjNKHOmzP/vjupy6YtQcCTn4+jWBRDN9ct6BE6Bn6JPAo1MwUTAdBgNVHQ4EFgQU' +
  'DTvzr14+Kyuu4MaTotPH0U8v9VYwHwYDVR0jBBgwFoAUDTvzr14+Kyuu4MaTotPH0U8v9VYwDwYDVR0TAQH/BAUwAwEB/zAKBggq' +
  'hkjOPQQDAgNHADBEAiBDdf5yyCriALjMHkuknl4dtFKlyjDzMPq03PPPF/hRQQIgIWsnJP+TIStXbOA/3oJTpBg1EsgTPdp2TneS' +
  'U8uG2tM=';
const CA = `-----BEGIN CERTIFICATE-----\n${CA_DER.match(/.{1,64}/g)!.join('\n')}\n-----END CERTIFICATE-----\n`;

const SAMPLES: Readonly<Record<string, Content>> = {
  '/configmaps': { data: { a: 'b' } },
  '/secrets': { data: { a: 'Yg==' } },
  '/events': { involvedObject: { kind: 'Pod', name: 'a', namespace: 'default' }, reason: 'R' },
  '/namespaces': {},
  '/nodes': {},
  '/persistentvolumeclaims': { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  '/persistentvolumes': { spec: VOLUME },
  '/pods': { spec: POD_SPEC },
  '/limitranges': { spec: { limits: [{ type: 'Container', max: { cpu: '4' } }] } },
  '/resourcequotas': { spec: { hard: { pods: '1000' } } },
  '/podtemplates': { template: TEMPLATE },
  '/replicationcontrollers': { spec: { selector: { app: 'a' }, template: TEMPLATE } },
  '/endpoints': { subsets: [{ addresses: [{ ip: '10.1.2.3' }] }] },
  '/services': { spec: { ports: [{ port: 80 }] } },
  '/serviceaccounts': {},
  'apiregistration.k8s.io/apiservices': {
    metadata: { name: 'v1.sample.example.com' },
    spec: { group: 'sample.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 1 },
  },
  'apps/controllerrevisions': { revision: 1, data: { a: 'b' } },
  'apps/daemonsets': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/deployments': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/replicasets': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/statefulsets': { spec: { serviceName: 's', selector: SELECTOR, template: TEMPLATE } },
  'events.k8s.io/events': {
    eventTime: '2026-01-01T00:00:00.000000Z',
    type: 'Normal',
    action: 'A',
    reason: 'R',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
  },
  'autoscaling/horizontalpodautoscalers': {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } },
  },
  'batch/cronjobs': { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: JOB_TEMPLATE } } } },
  'batch/jobs': { spec: { template: JOB_TEMPLATE } },
  'certificates.k8s.io/certificatesigningrequests': {
    spec: { request: CSR, signerName: 'example.com/signer', usages: ['client auth'] },
  },
  'networking.k8s.io/ingressclasses': { spec: { controller: 'example.com/ingress' } },
  'networking.k8s.io/ingresses': { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
  'networking.k8s.io/ipaddresses': {
    metadata: { name: '192.0.2.77' },
    spec: { parentRef: { resource: 'services', name: 's', namespace: 'default' } },
  },
  'networking.k8s.io/networkpolicies': { spec: { podSelector: {} } },
  'networking.k8s.io/servicecidrs': { spec: { cidrs: ['10.77.0.0/24'] } },
  'policy/poddisruptionbudgets': { spec: { selector: SELECTOR, minAvailable: 1 } },
  'rbac.authorization.k8s.io/clusterrolebindings': { roleRef: ROLE_REF, subjects: [] },
  'rbac.authorization.k8s.io/clusterroles': { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  'rbac.authorization.k8s.io/rolebindings': { roleRef: ROLE_REF, subjects: [] },
  'rbac.authorization.k8s.io/roles': { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  'storage.k8s.io/csidrivers': { spec: {} },
  'storage.k8s.io/csinodes': { spec: { drivers: [] } },
  'storage.k8s.io/csistoragecapacities': { storageClassName: 's' },
  'storage.k8s.io/storageclasses': { provisioner: 'example.com/p' },
  'storage.k8s.io/volumeattachments': {
    spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  },
  'storage.k8s.io/volumeattributesclasses': { driverName: 'example.com', parameters: { a: 'b' } },
  'admissionregistration.k8s.io/mutatingadmissionpolicies': {
    spec: {
      matchConstraints: MATCH,
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  },
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': { spec: { policyName: 'p' } },
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': { webhooks: [WEBHOOK] },
  'admissionregistration.k8s.io/validatingadmissionpolicies': {
    spec: { matchConstraints: MATCH, validations: [{ expression: 'true' }] },
  },
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': {
    spec: { policyName: 'p', validationActions: ['Audit'] },
  },
  'admissionregistration.k8s.io/validatingwebhookconfigurations': { webhooks: [WEBHOOK] },
  'apiextensions.k8s.io/customresourcedefinitions': {
    metadata: { name: 'samples.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'samples', kind: 'Sample' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
  'certificates.k8s.io/clustertrustbundles': { spec: { trustBundle: CA } },
  'certificates.k8s.io/podcertificaterequests': {
    spec: {
      ...{ signerName: 'example.com/s', podName: 'p', podUID: 'u', serviceAccountName: 'a', serviceAccountUID: 'v' },
      ...{ nodeName: 'n', nodeUID: 'w', stubPKCS10Request: CSR_DER },
    },
  },
  'coordination.k8s.io/leasecandidates': {
    spec: {
      ...{ leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.36.0' },
      strategy: 'OldestEmulationVersion',
    },
  },
  'internal.apiserver.k8s.io/storageversions': { metadata: { name: 'example.com.samples' }, spec: {} },
  'scheduling.k8s.io/podgroups': { spec: { schedulingPolicy: { basic: {} } } },
  'scheduling.k8s.io/workloads': {
    spec: { podGroupTemplates: [{ name: 't', schedulingPolicy: { gang: { minCount: 2 } } }] },
  },
  'storagemigration.k8s.io/storageversionmigrations': {
    spec: { resource: { group: 'example.com', resource: 'samples' } },
  },
  'resource.k8s.io/devicetaintrules': {
    spec: { deviceSelector: { driver: 'example.com' }, taint: { key: 'a', effect: 'NoSchedule' } },
  },
  'resource.k8s.io/resourcepoolstatusrequests': { spec: { driver: 'example.com' } },
  'scheduling.k8s.io/priorityclasses': { value: 5 },
  'coordination.k8s.io/leases': { spec: { holderIdentity: 'a' } },
  'node.k8s.io/runtimeclasses': { handler: 'h' },
  'discovery.k8s.io/endpointslices': { addressType: 'IPv4', endpoints: [] },
  'resource.k8s.io/deviceclasses': { spec: {} },
  'resource.k8s.io/resourceclaims': { spec: {} },
  'resource.k8s.io/resourceclaimtemplates': { spec: { spec: {} } },
  'resource.k8s.io/resourceslices': {
    spec: {
      driver: 'example.com',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      nodeName: 'n',
      devices: [{ name: 'd' }],
    },
  },
  'flowcontrol.apiserver.k8s.io/flowschemas': { spec: { priorityLevelConfiguration: { name: 'catch-all' } } },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  },
};

export interface SampleObject {
  readonly resource: Resource;
  readonly collection: string;
  readonly path: string;
  readonly object: Record<string, unknown> & { metadata: { name: string; namespace?: string } };
}

/** Every resource of this release whose objects can be updated or patched. Throws for one that has no sample. */
export const allSampleObjects = (): SampleObject[] =>
  schema.resources
    .filter((resource) => !isRemoved(resource))
    .filter(({ verbs }) => verbs.includes('update') || verbs.includes('patch'))
    .map(sampleOf);

/** Those that a server serves by default. */
export const sampleObjects = (): SampleObject[] =>
  allSampleObjects().filter(({ resource }) => isServedByDefault(resource.version));

function sampleOf(resource: Resource): SampleObject {
  const content = SAMPLES[`${resource.group}/${resource.plural}`];
  if (!content) throw new Error(`no sample of ${resource.group}/${resource.plural}`);
  // Several versions show the same objects.
  const name = isServedByDefault(resource.version) ? 'sample' : `sample-${resource.version}`;
  const metadata = { name, ...content.metadata, ...(resource.namespaced ? { namespace: 'default' } : {}) };
  const prefix = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const collection = `${prefix}${resource.namespaced ? '/namespaces/default' : ''}/${resource.plural}`;
  return {
    resource,
    collection,
    path: `${collection}/${metadata.name}`,
    object: { apiVersion: apiVersionOf(resource), kind: resource.kind, ...content, metadata },
  };
}
