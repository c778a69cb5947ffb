import { describe, expect, it } from 'vitest';
import type { GroupVersionKind } from '../../api/schema.ts';
import { encodeJson } from '../../base/index.ts';
import { StatusError } from '../errors/status.ts';
import { type DecodedObject, decodeObject, strictErrorWarnings } from './index.ts';

const POD: GroupVersionKind = { group: '', version: 'v1', kind: 'Pod' };
const CONFIG_MAP: GroupVersionKind = { group: '', version: 'v1', kind: 'ConfigMap' };
const DEPLOYMENT: GroupVersionKind = { group: 'apps', version: 'v1', kind: 'Deployment' };
const SECRET: GroupVersionKind = { group: '', version: 'v1', kind: 'Secret' };
const LEASE: GroupVersionKind = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' };
const CRD: GroupVersionKind = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
const SIGNING_REQUEST: GroupVersionKind = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
};

const decode = (
  expected: GroupVersionKind,
  body: string | Buffer,
  contentType: 'json' | 'yaml' = 'json',
): DecodedObject => decodeObject({ body: Buffer.from(body), contentType, expected });

function errorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'no error';
}

describe('canonical form', () => {
  it.each<[string, GroupVersionKind, string, string]>([
    [
      'kind and version may be left out',
      CONFIG_MAP,
      '{"metadata":{"name":"a"}}',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}',
    ],
    [
      'declared order, sorted maps',
      CONFIG_MAP,
      '{"data":{"b":"2","a":"1"},"metadata":{"namespace":"n","name":"a"},"kind":"ConfigMap","apiVersion":"v1"}',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n"},"data":{"a":"1","b":"2"}}',
    ],
    [
      'zero values go',
      CONFIG_MAP,
      '{"data":{},"metadata":{"name":"","generation":0,"labels":null}}',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}',
    ],
    [
      'zero behind a pointer stays',
      CONFIG_MAP,
      '{"immutable":false,"metadata":{"deletionGracePeriodSeconds":0}}',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"deletionGracePeriodSeconds":0},"immutable":false}',
    ],
    [
      'null in a map is the zero value',
      CONFIG_MAP,
      '{"data":{"a":null}}',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{"a":""}}',
    ],
    [
      'messages are written, if only as {}',
      DEPLOYMENT,
      '{}',
      '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
    ],
    [
      'quantities in their canonical form, from numbers too',
      POD,
      '{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":0.5,"memory":"1024Ki"},"requests":{"cpu":2}}}]}}',
      '{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"500m","memory":"1Mi"},"requests":{"cpu":"2"}}}]},"status":{}}',
    ],
    [
      'times in UTC',
      CONFIG_MAP,
      '{"metadata":{"creationTimestamp":"2026-01-31T10:00:00.5+01:00"}}',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"creationTimestamp":"2026-01-31T09:00:00Z"}}',
    ],
    [
      'bytes without line breaks',
      SECRET,
      '{"data":{"a":"aGVs\\nbG8="}}',
      '{"kind":"Secret","apiVersion":"v1","metadata":{},"data":{"a":"aGVsbG8="}}',
    ],
    [
      'bytes from numbers',
      SECRET,
      '{"data":{"a":[104,105]}}',
      '{"kind":"Secret","apiVersion":"v1","metadata":{},"data":{"a":"aGk="}}',
    ],
    [
      'required bytes that are absent as null',
      SIGNING_REQUEST,
      '{"spec":{"signerName":"x.io/y"}}',
      '{"kind":"CertificateSigningRequest","apiVersion":"certificates.k8s.io/v1","metadata":{},"spec":{"request":null,"signerName":"x.io/y"},"status":{}}',
    ],
    [
      'required bytes that are empty',
      SIGNING_REQUEST,
      '{"spec":{"request":"","signerName":"x.io/y"}}',
      '{"kind":"CertificateSigningRequest","apiVersion":"certificates.k8s.io/v1","metadata":{},"spec":{"request":"","signerName":"x.io/y"},"status":{}}',
    ],
    [
      'any key is a key',
      CONFIG_MAP,
      '{"data":{"__proto__":"x","constructor":"y"}}',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{"__proto__":"x","constructor":"y"}}',
    ],
    [
      'half a surrogate pair is replaced',
      CONFIG_MAP,
      '{"data":{"a":"\\ud800x"}}',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{"a":"\ufffdx"}}',
    ],
    [
      'integers beyond doubles stay valid',
      POD,
      '{"spec":{"containers":[],"tolerations":[{"tolerationSeconds":9223372036854775807}]}}',
      '{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":null,"tolerations":[{"tolerationSeconds":9223372036854775000}]},"status":{}}',
    ],
    [
      'either-or fields of schemas',
      CRD,
      '{"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"properties":{"a":{"items":{"type":"string"},"additionalProperties":false}}}}}]}}',
      '{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{},"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":[{"name":"v1","served":false,"storage":false,"schema":{"openAPIV3Schema":{"properties":{"a":{"items":{"type":"string"},"additionalProperties":false}}}}}]},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}',
    ],
  ])('%s', (_, gvk, body, expected) => {
    const { object, strictErrors } = decode(gvk, body);
    expect(encodeJson(object).toString()).toBe(expected);
    expect(strictErrors).toEqual([]);
    expect(encodeJson(decode(gvk, expected).object).toString()).toBe(expected);
  });

  it('keeps big integers of raw values', () => {
    const body = '{"data":{"id":9007199254740993,"huge":99999999999999999999}}';
    const { object } = decode({ group: 'apps', version: 'v1', kind: 'ControllerRevision' }, body);
    expect(object['data']).toEqual({ id: 9007199254740993n, huge: 99999999999999999999 });
    expect(encodeJson(object).toString()).toContain('"id":9007199254740993,');
  });
});

describe('strict errors', () => {
  it.each<[string, GroupVersionKind, string, string[]]>([
    [
      'unknown, in the order of the text',
      POD,
      '{"spec":{"bogus":1,"containers":[{"name":"c","imagePullpolicy":"x"},{"ports":[{"port":1}]}]},"more":{}}',
      [
        'unknown field "spec.bogus"',
        'unknown field "spec.containers[0].imagePullpolicy"',
        'unknown field "spec.containers[1].ports[0].port"',
        'unknown field "more"',
      ],
    ],
    ['letter case matters', CONFIG_MAP, '{"Data":{}}', ['unknown field "Data"']],
    [
      'duplicates',
      CONFIG_MAP,
      '{"metadata":{"name":"a","name":"b"},"data":{"x":"1","x":"2","x":"3"}}',
      ['duplicate field "metadata.name"', 'duplicate field "data.x"'],
    ],
    [
      'duplicate in a list',
      POD,
      '{"spec":{"containers":[{"image":"a","image":"b"}]}}',
      ['duplicate field "spec.containers[0].image"'],
    ],
    ['quoted as Go quotes', CONFIG_MAP, '{"a\\"\\\\é\\u0007":1}', ['unknown field "a\\"\\\\é\\a"']],
    [
      "raw values are nobody's business",
      { group: 'apps', version: 'v1', kind: 'ControllerRevision' },
      '{"data":{"a":1,"a":2}}',
      [],
    ],
    [
      'schemas behind either-or are not looked at',
      CRD,
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"nope":1,"items":{"nope":1}}}}]}}',
      ['unknown field "spec.versions[0].schema.openAPIV3Schema.nope"'],
    ],
  ])('%s', (_, gvk, body, expected) => {
    expect(decode(gvk, body).strictErrors).toEqual(expected);
  });

  it('stop at a hundred', () => {
    const body = `{${Array.from({ length: 150 }, (_, i) => `"u${i}":1`).join(',')}}`;
    expect(decode(CONFIG_MAP, body).strictErrors).toHaveLength(100);
  });

  it('merge repeated fields, as upstream does', () => {
    const body = '{"metadata":{"name":"a","labels":{"x":"1"}},"metadata":{"namespace":"n","labels":{"y":"2"}}}';
    expect(decode(CONFIG_MAP, body).object.metadata).toEqual({ name: 'a', namespace: 'n', labels: { x: '1', y: '2' } });
  });
});

describe('type errors', () => {
  const configMap = (why: string): string => `400: ConfigMap in version "v1" cannot be handled as a ConfigMap: ${why}`;
  const pod = (why: string): string => `400: Pod in version "v1" cannot be handled as a Pod: ${why}`;
  it.each<[GroupVersionKind, string, string]>([
    [
      CONFIG_MAP,
      '{"data":{"a":5}}',
      configMap('json: cannot unmarshal number into Go struct field ConfigMap.data of type string'),
    ],
    [
      CONFIG_MAP,
      '{"data":[]}',
      configMap('json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string'),
    ],
    [
      CONFIG_MAP,
      '{"metadata":"x"}',
      configMap('json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta'),
    ],
    [
      CONFIG_MAP,
      '{"metadata":{"finalizers":"x"}}',
      configMap('json: cannot unmarshal string into Go struct field ObjectMeta.metadata.finalizers of type []string'),
    ],
    [
      CONFIG_MAP,
      '{"metadata":{"uid":7}}',
      configMap('json: cannot unmarshal number into Go struct field ObjectMeta.metadata.uid of type types.UID'),
    ],
    [
      { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"x-kubernetes-validations":"x"}}}]}}',
      '400: CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.x-kubernetes-validations of type v1.ValidationRules',
    ],
    [
      { group: '', version: 'v1', kind: 'Node' },
      '{"spec":{"configSource":{"configMap":{"uid":{}}}}}',
      '400: Node in version "v1" cannot be handled as a Node: json: cannot unmarshal object into Go struct field ConfigMapNodeConfigSource.spec.configSource.configMap.uid of type types.UID',
    ],
    [
      CONFIG_MAP,
      '{"metadata":{"creationTimestamp":7}}',
      configMap(
        'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
      ),
    ],
    [
      CONFIG_MAP,
      '{"metadata":{"creationTimestamp":"x"},"data":5}',
      configMap('parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'),
    ],
    [
      CONFIG_MAP,
      '{"data":5,"metadata":{"name":true}}',
      configMap('json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string'),
    ],
    [CONFIG_MAP, '{"binaryData":{"a":"a$=="}}', configMap('illegal base64 data at input byte 1')],
    [CONFIG_MAP, '{"binaryData":{"a":"YWJ"}}', configMap('illegal base64 data at input byte 0')],
    [CONFIG_MAP, '{"binaryData":{"a":"YQ==YQ=="}}', configMap('illegal base64 data at input byte 4')],
    [
      POD,
      '{"spec":{"containers":{}}}',
      pod('json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container'),
    ],
    [
      POD,
      '{"spec":{"containers":["x"]}}',
      pod('json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container'),
    ],
    [
      POD,
      '{"spec":{"containers":[{"securityContext":{"runAsNonRoot":"yes"}}]}}',
      pod(
        'json: cannot unmarshal string into Go struct field SecurityContext.spec.containers.securityContext.runAsNonRoot of type bool',
      ),
    ],
    [
      POD,
      '{"spec":{"restartPolicy":5}}',
      pod('json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy'),
    ],
    [
      POD,
      '{"spec":{"containers":[{"resources":{"limits":{"cpu":"lots"}}}]}}',
      pod("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ],
    [
      POD,
      '{"spec":{"volumes":[{"emptyDir":5}]}}',
      pod(
        'json: cannot unmarshal number into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource',
      ),
    ],
    [
      DEPLOYMENT,
      '{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1.5}}',
      '400: Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      DEPLOYMENT,
      '{"spec":{"replicas":2.0}}',
      '400: Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number 2.0 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      DEPLOYMENT,
      '{"spec":{"replicas":2147483648}}',
      '400: Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      DEPLOYMENT,
      '{"spec":{"replicas":1e3}}',
      '400: Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number 1e3 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      DEPLOYMENT,
      '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}',
      '400: Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [
      LEASE,
      '{"spec":{"renewTime":"2020-01-01T00:00:00Z"}}',
      '400: Lease in version "v1" cannot be handled as a Lease: parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    [
      CRD,
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"type":5}}}}}]}}',
      '400: CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.type of type string',
    ],
    [
      CRD,
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"additionalProperties":5}}}]}}',
      '400: CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: boolean or JSON schema expected',
    ],
  ])('%o: %s', (gvk, body, expected) => {
    expect(errorOf(() => decode(gvk, body))).toBe(expected);
  });
});

describe('kinds and versions', () => {
  const goType =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const unrecognized = (why: string): string =>
    `400: the object provided is unrecognized (must be of type ConfigMap): ${why}`;
  it.each<[string, string]>([
    ['', unrecognized("couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)")],
    [
      '[]',
      unrecognized(
        `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${goType} (5b5d)`,
      ),
    ],
    [
      '42',
      unrecognized(
        `couldn't get version/kind; json parse error: json: cannot unmarshal number into Go value of type ${goType} (3432)`,
      ),
    ],
    [
      '{"kind":7}',
      unrecognized(
        'couldn\'t get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":7})',
      ),
    ],
    ['{"apiVersion":"a/b/c"}', unrecognized('unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})')],
    [
      '{"apiVersion":"v1","kind":"Secret"}',
      '400: Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      '{"apiVersion":"v1","kind":"Secret","data":5}',
      '400: Secret in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field Secret.data of type map[string][]uint8',
    ],
    [
      '{"apiVersion":"v1","kind":"Status"}',
      '400: Status in version "v1" cannot be handled as a ConfigMap: converting (v1.Status) to (core.ConfigMap): unknown conversion',
    ],
    [
      '{"apiVersion":"v1","kind":"List","items":[]}',
      '400: List in version "v1" cannot be handled as a ConfigMap: converting (v1.List) to (core.ConfigMap): unknown conversion',
    ],
    [
      '{"apiVersion":"v1","kind":"Nope"}',
      '400: Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      '{"apiVersion":"apps/v1","kind":"ConfigMap"}',
      '400: ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
  ])('%s', (body, expected) => {
    expect(errorOf(() => decode(CONFIG_MAP, body))).toBe(expected);
  });

  it('names the expected version', () => {
    const body = '{"apiVersion":"apps/v1beta1","kind":"Deployment"}';
    expect(errorOf(() => decode(DEPLOYMENT, body))).toBe(
      '400: the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)',
    );
  });

  it('accepts evictions of the older version', () => {
    const eviction = { group: 'policy', version: 'v1', kind: 'Eviction' };
    expect(decode(eviction, '{"apiVersion":"policy/v1beta1","kind":"Eviction"}').object.apiVersion).toBe('policy/v1');
  });
});

describe('YAML', () => {
  it('reads YAML 1.1', () => {
    const body =
      'metadata: {name: a}\ndata:\n  a: "yes"\n  b: |\n    x\n    y\n  c: 2020-01-01\n  d: 1e400\n  1: one\n';
    expect(decode(CONFIG_MAP, body, 'yaml').object['data']).toEqual({
      1: 'one',
      a: 'yes',
      b: 'x\ny\n',
      c: '2020-01-01',
      d: '1e400',
    });
  });

  it.each([
    ['data: {a: yes}', 'json: cannot unmarshal bool into Go struct field ConfigMap.data of type string'],
    ['data: {a: 0755}', 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string'],
    ['metadata: {name: *nope}', "yaml: unknown anchor 'nope' referenced"],
    ['metadata:\n\tname: a', 'yaml: line 2: found character that cannot start any token'],
    ['metadata: a: b', 'yaml: line 1: mapping values are not allowed in this context'],
    ['kind: ConfigMap\nmetadata:\n  name: a\n labels: {}\n', 'yaml: line 3: did not find expected key'],
    ['{', 'yaml: line 1: did not find expected node content'],
    ['{"kind":', 'yaml: line 1: did not find expected node content'],
    ['[1, # two', 'yaml: line 1: did not find expected node content'],
    ['a: [', 'yaml: line 1: did not find expected node content'],
    ['a: {b: ', 'yaml: line 1: did not find expected node content'],
    ['a: [1', "yaml: line 1: did not find expected ',' or ']'"],
    ['[1', "yaml: line 1: did not find expected ',' or ']'"],
    ['kind: ConfigMap\nmetadata: {name: a\n', "yaml: line 2: did not find expected ',' or '}'"],
    ['data: {a: .nan}', 'json: unsupported value: NaN'],
  ])('%j', (body, expected) => {
    expect(errorOf(() => decode(CONFIG_MAP, body, 'yaml'))).toContain(expected);
  });

  it('names repeated keys in one error', () => {
    const body = 'data:\n  a: "1"\n  a: "2"\n  b: "1"\n  b: "2"\nbogus: 1\n';
    expect(decode(CONFIG_MAP, body, 'yaml').strictErrors).toEqual([
      'yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 5: key "b" already set in map',
      'unknown field "bogus"',
    ]);
    expect(strictErrorWarnings(decode(CONFIG_MAP, body, 'yaml').strictErrors)).toEqual([
      'line 3: key "a" already set in map',
      'line 5: key "b" already set in map',
      'unknown field "bogus"',
    ]);
  });
});
