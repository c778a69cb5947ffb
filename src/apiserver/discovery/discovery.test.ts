import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { compareVersions } from '../../machinery/index.ts';
import {
  apiGroup,
  apiGroupDiscoveryList,
  apiGroupList,
  apiResourceList,
  apiVersions,
  discoverableGroups,
  discoveryEtag,
  type DiscoverableResource,
} from './index.ts';

const widget = (version: string): DiscoverableResource => ({
  group: 'example.com',
  version,
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  namespaced: true,
  verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
  shortNames: ['w'],
  categories: [],
  subresources: { status: { verbs: ['get'] }, scale: { verbs: ['get'], kind: 'autoscaling/v1.Scale' } },
  custom: true,
  storage: { group: 'example.com', version: 'v1', kind: 'Widget' },
});

const groups = discoverableGroups([...schema.resources, widget('v1beta1'), widget('v1')]);
const group = (name: string) => groups.find((candidate) => candidate.group === name)!;
const resourcesOf = (name: string, version: string) =>
  apiResourceList(group(name).versions.find((candidate) => candidate.version === version)!).resources!;

describe('groups', () => {
  it('are in the order of the schema, custom ones last', () => {
    const names = apiGroupList(groups).groups!.map(({ name }) => name);
    expect(names.slice(0, 4)).toEqual(['apiregistration.k8s.io', 'apps', 'events.k8s.io', 'authentication.k8s.io']);
    expect(names.at(-1)).toBe('example.com');
    expect(names).not.toContain('');
  });

  it('prefer their newest stable version', () => {
    expect(apiGroup(group('autoscaling'))).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'autoscaling',
      versions: [
        { groupVersion: 'autoscaling/v2', version: 'v2' },
        { groupVersion: 'autoscaling/v1', version: 'v1' },
      ],
      preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
    });
    expect(apiGroup(group('example.com')).preferredVersion!.version).toBe('v1');
  });

  it('order versions by stability and number', () => {
    const versions = ['foo', 'v1alpha1', 'v10', 'v1', 'v2beta1', 'v1beta2', 'v11alpha2', 'bar', 'v2'];
    expect(versions.sort(compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v2beta1',
      'v1beta2',
      'v11alpha2',
      'v1alpha1',
      'bar',
      'foo',
    ]);
  });

  it('of the core are listed apart', () => {
    expect(apiVersions(['v1'], '127.0.0.1:6443')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
    });
  });
});

describe('resources of a version', () => {
  it('are listed with their subresources, by name', () => {
    const names = resourcesOf('', 'v1').map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain('pods/ephemeralcontainers');
  });

  it('list their verbs', () => {
    const resources = new Map(resourcesOf('', 'v1').map((resource) => [resource.name, resource]));
    expect(resources.get('pods')).toEqual({
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['po'],
      categories: ['all'],
      storageVersionHash: 'xPOwRZ+Yhw8=',
    });
    expect(resources.get('pods/eviction')).toEqual({
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    });
    expect(resources.get('bindings')).not.toHaveProperty('storageVersionHash');
  });

  it.each([
    { of: ['events.k8s.io', 'v1'], name: 'events', hash: 'r2yiGXH7wu8=' },
    { of: ['autoscaling', 'v1'], name: 'horizontalpodautoscalers', hash: 'qwQve8ut294=' },
    { of: ['autoscaling', 'v2'], name: 'horizontalpodautoscalers', hash: 'qwQve8ut294=' },
    { of: ['apiextensions.k8s.io', 'v1'], name: 'customresourcedefinitions', hash: 'jfWCUB31mvA=' },
  ])('hash the version that is stored: $of.0/$of.1 $name', ({ of: [name = '', version = ''], name: plural, hash }) => {
    expect(resourcesOf(name, version).find((resource) => resource.name === plural)!.storageVersionHash).toBe(hash);
  });

  it('have the same hash in every version that is stored as one', () => {
    const [beta, stable] = ['v1beta1', 'v1'].map(
      (version) => resourcesOf('example.com', version)[0]!.storageVersionHash,
    );
    expect(beta).toBe(stable);
    expect(beta).toBeDefined();
  });

  it('omit the apiVersion of the list in the core group', () => {
    expect(apiResourceList(group('').versions[0]!)).not.toHaveProperty('apiVersion');
    expect(apiResourceList(group('apps').versions[0]!)).toMatchObject({ apiVersion: 'v1', groupVersion: 'apps/v1' });
  });
});

describe('aggregated discovery', () => {
  it('has everything in one document', () => {
    const list = apiGroupDiscoveryList([group('')]);
    expect(list).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    expect(list.items![0]!.metadata).toEqual({});
    const namespaces = list.items![0]!.versions![0]!.resources!.find(({ resource }) => resource === 'namespaces');
    expect(namespaces).toEqual({
      resource: 'namespaces',
      responseKind: { group: '', version: '', kind: 'Namespace' },
      scope: 'Cluster',
      singularResource: 'namespace',
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['ns'],
      subresources: [
        { subresource: 'finalize', responseKind: { group: '', version: '', kind: 'Namespace' }, verbs: ['update'] },
        {
          subresource: 'status',
          responseKind: { group: '', version: '', kind: 'Namespace' },
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  });

  it('names group and version of custom kinds', () => {
    const [resource] = apiGroupDiscoveryList([group('example.com')]).items![0]!.versions![0]!.resources!;
    expect(resource!.responseKind).toEqual({ group: 'example.com', version: 'v1', kind: 'Widget' });
    expect(resource!.subresources!.map(({ responseKind }) => responseKind)).toEqual([
      { group: 'example.com', version: 'v1', kind: 'Widget' },
      { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    ]);
  });

  it('has an entity tag that follows its content', () => {
    expect(discoveryEtag(Buffer.from('a'))).toMatch(/^"[0-9A-F]{128}"$/);
    expect(discoveryEtag(Buffer.from('a'))).not.toBe(discoveryEtag(Buffer.from('b')));
  });
});
