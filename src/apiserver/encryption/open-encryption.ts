/** Opens the EncryptionConfiguration file: generates it at the first start, and reloads it every minute. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { makeDirectoryDurably, writeFileDurably, type Context } from '../../kernel/index.ts';
import { loadEncryption, type LoadedEncryption } from './configuration.ts';
import { EncryptionAtRest } from './encryption-at-rest.ts';

export interface OpenEncryption {
  readonly transformer: EncryptionAtRest;
  /** Reloads the file; returns whether it has changed. Throws if it is invalid, and keeps the old configuration. */
  reload(): Promise<boolean>;
  close(): void;
}

const RELOAD_INTERVAL_MS = 60_000;

/** If `file` does not exist, it is generated with a key that encrypts Secrets. `prefix` is that of the keys in etcd. */
export async function openEncryption(ctx: Context, file: string, prefix?: string): Promise<OpenEncryption> {
  let text = await readOrCreate(ctx, file);
  let loaded = await loadChecked(ctx, text);
  const transformer = new EncryptionAtRest(loaded.chainOf, prefix);
  const reload = async (): Promise<boolean> => {
    const found = await fs.readFile(file, 'utf8');
    if (found === text) return false;
    const next = await loadChecked(ctx, found);
    transformer.use(next.chainOf);
    closeAll(loaded);
    loaded = next;
    text = found;
    ctx.logger.info('Reloaded the encryption configuration', { file });
    return true;
  };
  const timer = ctx.clock.every(RELOAD_INTERVAL_MS, () => {
    reload().catch((error: unknown) =>
      ctx.logger.error(error, 'Failed to reload the encryption configuration, keeping the old one', { file }),
    );
  });
  const close = (): void => {
    timer.cancel();
    closeAll(loaded);
  };
  if (ctx.signal.aborted) close();
  else ctx.signal.addEventListener('abort', close, { once: true });
  return { transformer, reload, close };
}

/** Checks the KMS providers, so that an unreachable one fails at the start, not at the first write. */
async function loadChecked(ctx: Context, text: string): Promise<LoadedEncryption> {
  const loaded = loadEncryption(ctx, text);
  try {
    await Promise.all(loaded.kms.map((provider) => provider.check()));
    return loaded;
  } catch (error) {
    closeAll(loaded);
    throw error;
  }
}

const closeAll = ({ kms }: LoadedEncryption): void => kms.forEach((provider) => provider.close());

async function readOrCreate(ctx: Context, file: string): Promise<string> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = Buffer.from(ctx.random.bytes(32)).toString('base64');
  const text = stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      { resources: ['secrets'], providers: [{ aesgcm: { keys: [{ name: 'key1', secret }] } }, { identity: {} }] },
    ],
  });
  makeDirectoryDurably(path.dirname(file), 0o700);
  // Secrets are unreadable without the key, so it must be durable before the first Secret is written.
  await writeFileDurably(file, text);
  return text;
}
