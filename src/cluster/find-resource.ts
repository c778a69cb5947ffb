/** From what people write (`deploy/web`, a manifest) to the resource that is meant. */
import { discover, type ApiObject, type Client, type DiscoveredResource, type Discovery } from '../client/index.ts';

export class ResourceFinder {
  #known: Promise<Discovery> | undefined;
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** By kind, plural, singular or short name; with the group behind a dot if need be: `deploy`, `Deployment`, `widgets.example.com`. */
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

  /** What was not there at the last look may have come since. */
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
