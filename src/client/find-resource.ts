/** Resolves what users write (`deploy/web`, a manifest) to an API resource. */
import type { Client } from './client.ts';
import { discover, type DiscoveredResource, type Discovery } from './discovery.ts';
import type { ApiObject } from './resource.ts';

export class ResourceFinder {
  #known: Promise<Discovery> | undefined;
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * By kind, plural, singular or short name, optionally with the group: `deploy`, `Deployment`, `widgets.example.com`.
   */
  async byName(name: string): Promise<DiscoveredResource> {
    const [word = '', ...group] = name.toLowerCase().split('.');
    const wanted = group.join('.');
    return this.#find(name, (resource) => {
      const called = [resource.plural, resource.singular, resource.kind.toLowerCase(), ...resource.shortNames].includes(
        word,
      );
      return (
        called &&
        resource.preferred &&
        (wanted === '' || resource.group === wanted || `${resource.version}.${resource.group}` === wanted)
      );
    });
  }

  async byManifest({ apiVersion = '', kind = '' }: ApiObject): Promise<DiscoveredResource> {
    const slash = apiVersion.indexOf('/');
    const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
    return this.#find(
      `${apiVersion} ${kind}`,
      (resource) => resource.group === group && resource.version === version && resource.kind === kind,
    );
  }

  /** A resource that is not in the cached discovery may have been added since. */
  async #find(name: string, is: (resource: DiscoveredResource) => boolean): Promise<DiscoveredResource> {
    const before = this.#known;
    const found = before && (await before).resources.find(is);
    if (found) return found;
    this.#known = discover(this.#client);
    const resource = (await this.#known).resources.find(is);
    if (!resource) throw new Error(`the server has no resource ${name}`);
    return resource;
  }
}
