/** Names of objects in glass.k8ts.dev: `RESOURCE[.GROUP]:NAME`. */
import { ResourceFinder, type Client, type DiscoveredResource } from '../../client/index.ts';
import { badRequest, notFound } from '../../machinery/errors/index.ts';
import { GLASS_GROUP } from './glass-group.ts';

interface NamedObject {
  readonly resource: DiscoveredResource;
  readonly finder: ResourceFinder;
  /** Empty for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** The object that a name and a namespace mean, as the asker's client sees the API. */
export async function namedObject(
  client: Client,
  reference: { readonly plural: string; readonly namespace: string; readonly name: string },
): Promise<NamedObject> {
  const colon = reference.name.indexOf(':');
  const [word, name] = [reference.name.slice(0, colon), reference.name.slice(colon + 1)];
  if (colon <= 0 || name === '')
    throw badRequest(
      `${JSON.stringify(reference.name)} does not name an object: it is RESOURCE[.GROUP]:NAME, such as deployments.apps:web`,
    );
  const finder = new ResourceFinder(client);
  const resource = await finder.byName(word).catch(() => {
    throw notFound({ group: GLASS_GROUP, resource: reference.plural }, reference.name);
  });
  if (resource.namespaced !== (reference.namespace !== ''))
    throw badRequest(
      resource.namespaced
        ? `${resource.plural} are in namespaces: ask in one`
        : `${resource.plural} are in no namespace: ask without one`,
    );
  return { resource, finder, namespace: reference.namespace, name };
}

/** `deployments.apps:web` */
export const referenceName = ({ plural, group }: Pick<DiscoveredResource, 'plural' | 'group'>, name: string): string =>
  `${group === '' ? plural : `${plural}.${group}`}:${name}`;
