/** Reads and updates the scale subresource of any kind, custom kinds included. */
import type { Scale } from '../api/generated/autoscaling-v1.ts';
import { discover, findKind, type DiscoveredResource, type Discovery } from '../client/index.ts';
import type { ControllerContext } from './controller.ts';

/** The shortest time between two discoveries for an unknown kind. */
const REDISCOVERY_MS = 30_000;

export interface ScaleTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export class ScaleClient {
  readonly #context: ControllerContext;
  #discovery: { found: Discovery; at: number } | undefined;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async get(target: ScaleTarget): Promise<{ scale: Scale; resource: DiscoveredResource }> {
    const resource = await this.resourceOf(target);
    const scale = await this.#scale(resource, target).get({ signal: this.#context.signal });
    return { scale, resource };
  }

  async update(target: ScaleTarget, scale: Scale): Promise<void> {
    const resource = await this.resourceOf(target);
    await this.#scale(resource, target).update(scale, { signal: this.#context.signal });
  }

  #scale(resource: DiscoveredResource, { namespace, name }: ScaleTarget) {
    return this.#context.client.resource(resource).subresource<Scale>({ namespace, name }, 'scale');
  }

  /** The resource of a kind; throws when the server does not serve it. */
  async resourceOf({ apiVersion, kind }: Pick<ScaleTarget, 'apiVersion' | 'kind'>): Promise<DiscoveredResource> {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const find = (): DiscoveredResource | undefined =>
      this.#discovery && findKind(this.#discovery.found, { group, version, kind });
    const { clock, client, signal } = this.#context;
    const known = find();
    if (known) return known;
    if (!this.#discovery || clock.monotonic() - this.#discovery.at > REDISCOVERY_MS)
      this.#discovery = { found: await discover(client, signal), at: clock.monotonic() };
    const found = find();
    if (!found) throw new Error(`no matches for kind "${kind}" in group "${group}"`);
    return found;
  }
}
