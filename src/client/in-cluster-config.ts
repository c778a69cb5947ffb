import fs from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../kernel/index.ts';
import { ClientConfigError, type ClientConfig } from './client-config.ts';
import { tokenFile } from './credentials.ts';

const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The configuration of a client in a Pod: environment variables and the mounted service account token. */
export async function inClusterConfig(options: {
  clock: Clock;
  environment?: Readonly<Record<string, string | undefined>>;
  directory?: string;
}): Promise<ClientConfig> {
  const { clock, environment = process.env, directory = SERVICE_ACCOUNT_DIRECTORY } = options;
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new ClientConfigError(
      'not running in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set',
    );
  }
  const credentials = tokenFile(path.join(directory, 'token'), clock);
  await credentials.authorization();
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: await fs.readFile(path.join(directory, 'ca.crt'), 'utf8'),
    credentials,
    namespace: (await fs.readFile(path.join(directory, 'namespace'), 'utf8').catch(() => 'default')).trim(),
  };
}
