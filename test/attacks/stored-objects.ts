import type { ApiConnection } from '../api-connection.ts';

interface Discovered {
  readonly name: string;
  readonly verbs: readonly string[];
}

/** What a server renews by itself all the time, and what is stored nowhere. */
const RENEWED = /^\/apis\/(coordination\.k8s\.io|events\.k8s\.io|glass\.k8ts\.dev)\/|^\/api\/v1\/.*events/;

/** Every stored object, by its path, with its version: two of these differ when anything was written in between. */
export async function storedObjects(api: ApiConnection): Promise<Map<string, string>> {
  const groups = (
    (await api.call('GET', '/apis')).json()['groups'] as { preferredVersion: { groupVersion: string } }[]
  ).map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`);
  const found = new Map<string, string>();
  for (const prefix of ['/api/v1', ...groups]) {
    const { resources = [] } = (await api.call('GET', prefix)).json() as unknown as {
      resources?: readonly Discovered[];
    };
    for (const { name, verbs } of resources) {
      const path = `${prefix}/${name}`;
      if (!verbs.includes('list') || name.includes('/') || name === 'componentstatuses' || RENEWED.test(path)) continue;
      const { items = [] } = (await api.call('GET', path)).json() as unknown as {
        items?: readonly { metadata: { namespace?: string; name: string; resourceVersion: string } }[];
      };
      for (const { metadata } of items)
        found.set(`${path} ${metadata.namespace ?? ''}/${metadata.name}`, metadata.resourceVersion);
    }
  }
  return found;
}
