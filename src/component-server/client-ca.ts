import { errorMessage } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import { followFiles, type Context, type FollowedFiles } from '../kernel/index.ts';

/** The API servers add to their bundle, or remove from it, once in years. */
const READ_EVERY_MS = 60_000;

interface ClientCaOptions {
  readonly client: Client;
  /** --client-ca-file; without it the bundle that the API server publishes. */
  readonly file?: string | undefined;
  /** --authentication-skip-lookup */
  readonly skipLookup?: boolean | undefined;
}

/** The CAs of client certificates. Without any only bearer tokens are accepted. */
export async function followClientCa(
  ctx: Context,
  { client, file, skipLookup }: ClientCaOptions,
): Promise<FollowedFiles<string>> {
  if (file) return followFiles(ctx, { name: 'client-ca-bundle', files: [file], parse: ([text = '']) => text });
  if (skipLookup) return { value: '', onChange: () => {} };
  const published = new PublishedCa(ctx, client);
  await published.read();
  published.follow();
  return published;
}

class PublishedCa implements FollowedFiles<string> {
  readonly #ctx: Context;
  readonly #client: Client;
  readonly #listeners: ((bundle: string) => void)[] = [];
  #bundle = '';

  constructor(ctx: Context, client: Client) {
    this.#ctx = ctx;
    this.#client = client;
  }

  get value(): string {
    return this.#bundle;
  }

  onChange(listener: (bundle: string) => void): void {
    this.#listeners.push(listener);
  }

  async read(): Promise<void> {
    const { logger, signal } = this.#ctx;
    try {
      const { data } = await this.#client
        .resource('v1/configmaps')
        .get({ namespace: 'kube-system', name: 'extension-apiserver-authentication' }, { signal });
      const bundle = data?.['client-ca-file'] ?? '';
      if (bundle === this.#bundle) return;
      this.#bundle = bundle;
    } catch (error) {
      if (!signal.aborted) logger.warn('Could not read the CA of client certificates', { err: errorMessage(error) });
      return;
    }
    for (const listener of this.#listeners) listener(this.#bundle);
  }

  follow(): void {
    const { clock, signal } = this.#ctx;
    if (signal.aborted) return;
    const timer = clock.every(READ_EVERY_MS, () => void this.read());
    signal.addEventListener('abort', () => timer.cancel(), { once: true });
  }
}
