/**
 * Upstream's serialized objects of this release and the two before it, in JSON, YAML and protobuf: each is decoded, and encoded
 * to the bytes of all three. K8TS_UPSTREAM_TESTDATA names the directory, staging/src/k8s.io/api/testdata of upstream's tree.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schema, storedSchema, type GroupVersionKind, type Message } from '../../src/api/index.ts';
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

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

interface Fixture {
  readonly name: string;
  readonly gvk: GroupVersionKind;
  readonly message: Message;
  readonly files: Readonly<Record<Format, Buffer>>;
  /** What upstream's own round trip makes of it. */
  readonly expected: Readonly<Record<Format, Buffer>>;
}

/** A file's name is GROUP.VERSION.KIND. */
function kindOf(name: string): GroupVersionKind {
  const [, group = '', version = '', kind = ''] = /^(.+)\.(v\w+)\.(\w+)$/.exec(name) ?? [];
  return { group: group === 'core' ? '' : group, version, kind };
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
      const message = storedSchema.kind(gvk) ?? schema.messages.get(META + gvk.kind);
      if (!message) {
        undeclared.push(name);
        return [];
      }
      return [{ name, gvk, message, files, expected: read('.after_roundtrip') }];
    });
  return { fixtures, undeclared };
}

/** Options, Status and the like belong to every group, and are decoded as what the endpoint expects. */
const isMeta = ({ message }: Fixture): boolean => message.fullName.startsWith(META);

function decode(fixture: Fixture, format: Format): KubeObject {
  const { gvk, message, files } = fixture;
  if (format === 'pb') return isMeta(fixture) ? decodeMeta(fixture) : decodeProtobufObject(storedSchema, files.pb);
  if (schema.kind(gvk)) return decodeObject({ body: files[format], contentType: format, expected: gvk }).object;
  const value = format === 'json' ? JSON.parse(files.json.toString()) : parseYaml(files.yaml.toString()).value;
  const { kind, apiVersion, ...fields } = value as KubeObject;
  return { kind, apiVersion, ...canonicalize(message, fields) } as KubeObject;
}

function decodeMeta({ message, files }: Fixture): KubeObject {
  const { kind, apiVersion, raw } = decodeProtobuf(files.pb);
  const typeMeta = kind === '' ? {} : { kind, apiVersion };
  return { ...typeMeta, ...decodeMessage(message, raw) } as KubeObject;
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

  it('are of kinds that are declared', () => {
    expect(fixtures.length).toBeGreaterThan(150);
    expect(undeclared).toEqual([]);
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
