/**
 * Upstream's serialized objects of this release and the two before it, in JSON, YAML and protobuf: each is decoded, and encoded
 * to the bytes of all three. K8TS_UPSTREAM_TESTDATA names the directory, staging/src/k8s.io/api/testdata of upstream's tree.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schema, type GroupVersionKind, type Message } from '../../src/api/index.ts';
import { goJsonText } from '../../src/base/index.ts';
import { canonicalize, decodeObject, encodeYaml, parseYaml } from '../../src/machinery/decode/index.ts';
import type { KubeObject } from '../../src/machinery/index.ts';
import {
  decodeMessage,
  decodeProtobuf,
  decodeProtobufObject,
  encodeProtobuf,
} from '../../src/machinery/protobuf/index.ts';

const DIRECTORY = process.env['K8TS_UPSTREAM_TESTDATA'] ?? '';
const RELEASES = ['HEAD', 'v1.35.0', 'v1.34.0'];
const FORMATS = ['json', 'yaml', 'pb'] as const;
type Format = (typeof FORMATS)[number];

/** Versions that v1.36 neither serves nor stores are not declared: most have the fields of the version that is. */
const LATER_GROUPS: Readonly<Record<string, readonly string[]>> = { extensions: ['apps', 'networking.k8s.io'] };

/** Those that have not. */
const OTHER_FIELDS = new Set([
  'apps.v1beta1.Deployment',
  'apps.v1beta1.DeploymentRollback',
  'apps.v1beta1.Scale',
  'apps.v1beta2.Scale',
  'authorization.k8s.io.v1beta1.LocalSubjectAccessReview',
  'authorization.k8s.io.v1beta1.SubjectAccessReview',
  'autoscaling.v2beta1.HorizontalPodAutoscaler',
  'certificates.k8s.io.v1alpha1.PodCertificateRequest',
  'discovery.k8s.io.v1beta1.EndpointSlice',
  'extensions.v1beta1.DaemonSet',
  'extensions.v1beta1.Deployment',
  'extensions.v1beta1.DeploymentRollback',
  'extensions.v1beta1.Ingress',
  'extensions.v1beta1.Scale',
  'flowcontrol.apiserver.k8s.io.v1beta1.PriorityLevelConfiguration',
  'flowcontrol.apiserver.k8s.io.v1beta2.PriorityLevelConfiguration',
  'imagepolicy.k8s.io.v1alpha1.ImageReview',
  'networking.k8s.io.v1beta1.Ingress',
  'node.k8s.io.v1alpha1.RuntimeClass',
  'rbac.authorization.k8s.io.v1alpha1.ClusterRole',
  'rbac.authorization.k8s.io.v1alpha1.ClusterRoleBinding',
  'rbac.authorization.k8s.io.v1alpha1.Role',
  'rbac.authorization.k8s.io.v1alpha1.RoleBinding',
  'scheduling.k8s.io.v1alpha1.Workload',
]);
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

interface Fixture {
  readonly name: string;
  readonly gvk: GroupVersionKind;
  readonly message: Message;
  /** The message is of this very version, or of meta. */
  readonly declared: boolean;
  readonly files: Readonly<Record<Format, Buffer>>;
  /** What upstream's own round trip makes of it. */
  readonly expected: Readonly<Record<Format, Buffer>>;
}

/** A file's name is GROUP.VERSION.KIND. */
function kindOf(name: string): GroupVersionKind {
  const [, group = '', version = '', kind = ''] = /^(.+)\.(v\w+)\.(\w+)$/.exec(name) ?? [];
  return { group: group === 'core' ? '' : group, version, kind };
}

function laterMessage({ group, kind }: GroupVersionKind): Message | undefined {
  return [group, ...(LATER_GROUPS[group] ?? [])]
    .flatMap((later) => ['v2', 'v1'].map((version) => schema.kind({ group: later, version, kind })))
    .find((message) => message !== undefined);
}

function fixturesOf(release: string): { fixtures: Fixture[]; undeclared: string[] } {
  const directory = path.join(DIRECTORY, release);
  const undeclared: string[] = [];
  const fixtures = fs
    .readdirSync(directory)
    .filter((file) => file.endsWith('.json') && !file.includes('.after_roundtrip.'))
    .flatMap((file) => {
      const name = file.slice(0, -'.json'.length);
      const read = (suffix: string): Record<Format, Buffer> =>
        Object.fromEntries(
          FORMATS.map((format) => {
            const changed = path.join(directory, `${name}${suffix}.${format}`);
            return [
              format,
              fs.readFileSync(fs.existsSync(changed) ? changed : path.join(directory, `${name}.${format}`)),
            ];
          }),
        ) as Record<Format, Buffer>;
      const files = read('');
      const gvk = kindOf(name);
      const declared = schema.kind(gvk) ?? schema.messages.get(META + gvk.kind);
      const message = declared ?? (OTHER_FIELDS.has(name) ? undefined : laterMessage(gvk));
      if (!message) {
        undeclared.push(name);
        return [];
      }
      return [{ name, gvk, message, declared: !!declared, files, expected: read('.after_roundtrip') }];
    });
  return { fixtures, undeclared };
}

/** Options, Status and the like belong to every group, and are decoded as what the endpoint expects. */
const isMeta = ({ message }: Fixture): boolean => message.fullName.startsWith(META);
const isOwnKind = (fixture: Fixture): boolean => fixture.declared && !isMeta(fixture);

function decode(fixture: Fixture, format: Format): KubeObject {
  const { gvk, message, files } = fixture;
  if (isOwnKind(fixture)) {
    return format === 'pb'
      ? decodeProtobufObject(schema, files.pb)
      : decodeObject({ body: files[format], contentType: format, expected: gvk }).object;
  }
  if (format === 'pb') {
    const { kind, apiVersion, raw } = decodeProtobuf(files.pb);
    const typeMeta = kind === '' ? {} : { kind, apiVersion };
    return { ...typeMeta, ...decodeMessage(message, raw) } as KubeObject;
  }
  const value = format === 'json' ? JSON.parse(files.json.toString()) : parseYaml(files.yaml.toString()).value;
  const { kind, apiVersion, ...fields } = value as KubeObject;
  return { kind, apiVersion, ...canonicalize(message, fields) } as KubeObject;
}

function encode({ message }: Fixture, object: KubeObject): Record<Format, string> {
  // A WatchEvent has no kind.
  const { kind, apiVersion, ...fields } = object;
  const ordered = kind === undefined ? fields : { kind, apiVersion, ...fields };
  return {
    json: JSON.stringify(JSON.parse(goJsonText(ordered)), null, 2),
    yaml: encodeYaml(ordered).toString(),
    pb: encodeProtobuf(message, fields, { apiVersion: apiVersion ?? '', kind: kind ?? '' }).toString('latin1'),
  };
}

const expectedOf = ({ expected }: Fixture): Record<Format, string> => ({
  json: expected.json.toString().trimEnd(),
  yaml: expected.yaml.toString(),
  pb: expected.pb.toString('latin1'),
});

if (DIRECTORY === '') it.skip('serialized objects: needs K8TS_UPSTREAM_TESTDATA', () => {});

describe.each(DIRECTORY === '' ? [] : RELEASES)('serialized objects of %s', (release) => {
  const { fixtures, undeclared } = fixturesOf(release);

  it('are of kinds that are declared, or have the fields of one', () => {
    expect(fixtures.length).toBeGreaterThan(150);
    expect(undeclared.filter((name) => !OTHER_FIELDS.has(name))).toEqual([]);
  });

  it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('%s', (_name, fixture) => {
    for (const format of FORMATS) {
      expect({ decoded: format, ...encode(fixture, decode(fixture, format)) }).toEqual({
        decoded: format,
        ...expectedOf(fixture),
      });
    }
  });
});
