import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { APIGroupList, APIResource, APIResourceList } from '../../api/generated/meta-v1.ts';
import { setFeatureGates as featureGates } from '../../machinery/index.ts';
import { servedVersions } from '../command/served-versions.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../testing/index.ts';

/**
 * What kube-apiserver v1.36.4 lists, in the order of its discovery, one resource a line: when it is served (by default,
 * with --runtime-config=api/all=true, with all feature gates as well), the group and version, its name, singular name,
 * kind, scope, verbs (`all` for the eight of most resources), short names, categories and storageVersionHash.
 */
const FACTS = fs
  .readFileSync(path.join(import.meta.dirname, 'testing', 'api-resources.txt'), 'utf8')
  .trim()
  .split('\n');

const ALL_VERBS = 'create,delete,deletecollection,get,list,patch,update,watch';

function factOf(groupVersion: string, resource: APIResource): string {
  const {
    name,
    singularName,
    namespaced,
    kind,
    verbs,
    shortNames = [],
    categories = [],
    storageVersionHash,
  } = resource;
  const ownKind = resource.version ? `${resource.group ?? ''}/${resource.version}/${kind}` : kind;
  const verbList = verbs.join();
  return [
    ...[groupVersion, name, singularName || '-', ownKind, namespaced ? 'namespaced' : 'cluster'],
    ...[verbList === ALL_VERBS ? 'all' : verbList, shortNames.join() || '-', categories.join() || '-'],
    storageVersionHash ?? '-',
  ].join(' ');
}

const factsFor = (...when: string[]): string[] =>
  FACTS.filter((line) => when.includes(line.split(' ', 1)[0]!)).map((line) => line.slice(line.indexOf(' ') + 1));

let server: TestServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function listed(options: TestServerOptions): Promise<string[]> {
  server = await startTestServer(options);
  const get = async <T>(target: string): Promise<T> => (await server!.call('GET', target)).body as unknown as T;
  const { groups } = await get<APIGroupList>('/apis');
  const versions = groups.flatMap(({ versions: all }) => all.map(({ groupVersion }) => `/apis/${groupVersion}`));
  const facts: string[] = [];
  for (const target of ['/api/v1', ...versions]) {
    const { groupVersion, resources } = await get<APIResourceList>(target);
    for (const resource of resources) facts.push(factOf(groupVersion, resource));
  }
  return facts;
}

const EVERY_VERSION = servedVersions({ 'api/all': 'true' })!;
const EVERY_GATE = featureGates({ AllAlpha: 'true', AllBeta: 'true' });

describe('the resources are those of kube-apiserver', () => {
  it('by default', async () => {
    expect(await listed({})).toEqual(factsFor('stock'));
  });

  it('with every version', async () => {
    expect(await listed({ servesVersion: EVERY_VERSION })).toEqual(factsFor('stock', 'runtime-config'));
  });

  it('with every version and feature gate', async () => {
    const everything = { servesVersion: EVERY_VERSION, featureGates: EVERY_GATE };
    expect(await listed(everything)).toEqual(factsFor('stock', 'runtime-config', 'gates'));
  });

  it('with one resource of a version', async () => {
    const servesVersion = servedVersions({ 'networking.k8s.io/v1beta1/ipaddresses': 'true' })!;
    const beta = (await listed({ servesVersion })).filter((fact) => fact.startsWith('networking.k8s.io/v1beta1 '));
    expect(beta.map((fact) => fact.split(' ')[1])).toEqual(['ipaddresses']);
  });
});

it('OpenAPI and APIServices are of the versions that are served', async () => {
  server = await startTestServer();
  const stock = Object.keys((JSON.parse((await server.call('GET', '/openapi/v3')).text) as { paths: object }).paths);
  expect(stock.filter((name) => /alpha|beta/.test(name))).toEqual([]);
  await server.stop();
  server = await startTestServer({ servesVersion: EVERY_VERSION, featureGates: EVERY_GATE });
  const all = Object.keys((JSON.parse((await server.call('GET', '/openapi/v3')).text) as { paths: object }).paths);
  const versions = [...new Set(factsFor('runtime-config', 'gates').map((fact) => fact.split(' ', 1)[0]!))];
  expect(all.filter((name) => /alpha|beta/.test(name)).sort()).toEqual(versions.map((name) => `apis/${name}`).sort());
});
