import { execFile } from 'node:child_process';
import { isRecord } from '../base/index.ts';
import type { Clock } from '../kernel/index.ts';
import type { ClientCertificate, Credentials } from './credentials.ts';

export interface ExecPlugin {
  apiVersion: string;
  command: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Shown when the command is not installed. */
  installHint?: string;
  /** Passed to the plugin with provideClusterInfo. */
  cluster?: unknown;
}

interface ExecCredential {
  token?: string;
  certificate?: ClientCertificate;
  /** Milliseconds since the epoch. */
  expiresAt?: number;
}

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/**
 * Credentials from an exec plugin, as the kubeconfig's `exec` section configures it. They are cached until they expire
 * or are refused.
 */
export function execCredentials(plugin: ExecPlugin, clock: Clock): Credentials {
  if (!API_VERSIONS.includes(plugin.apiVersion)) {
    throw new Error(
      `exec plugin: apiVersion ${JSON.stringify(plugin.apiVersion)} is not supported; use ${API_VERSIONS.join(' or ')}`,
    );
  }
  let current: Promise<ExecCredential> | undefined;
  const get = async (): Promise<ExecCredential> => {
    current ??= runPlugin(plugin);
    try {
      const credential = await current;
      if (credential.expiresAt === undefined || clock.now() < credential.expiresAt) return credential;
    } catch (error) {
      current = undefined;
      throw error;
    }
    current = runPlugin(plugin);
    return current;
  };
  return {
    authorization: async () => {
      const { token } = await get();
      return token === undefined ? undefined : `Bearer ${token}`;
    },
    certificate: async () => (await get()).certificate,
    refused: () => {
      const hadCurrent = current !== undefined;
      current = undefined;
      return hadCurrent;
    },
  };
}

async function runPlugin(plugin: ExecPlugin): Promise<ExecCredential> {
  const info = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(plugin.cluster === undefined ? {} : { cluster: plugin.cluster }) },
  };
  const stdout = await new Promise<string>((resolve, reject) => {
    const env = { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
    execFile(plugin.command, [...(plugin.args ?? [])], { env, maxBuffer: 1 << 20 }, (error, output, stderr) => {
      if (error === null) return resolve(output);
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const hint = missing && plugin.installHint !== undefined ? `\n${plugin.installHint}` : '';
      reject(
        new Error(
          `exec plugin ${plugin.command} failed: ${missing ? 'executable not found' : stderr.trim() || error.message}${hint}`,
          { cause: error },
        ),
      );
    });
  });
  return parseCredential(plugin, stdout);
}

function parseCredential(plugin: ExecPlugin, stdout: string): ExecCredential {
  let parsed: unknown;
  try {
    parsed = JSON.parse(stdout);
  } catch (error) {
    throw new Error(`exec plugin ${plugin.command} did not print JSON`, { cause: error });
  }
  const status = isRecord(parsed) && isRecord(parsed['status']) ? parsed['status'] : undefined;
  if (
    !isRecord(parsed) ||
    parsed['kind'] !== 'ExecCredential' ||
    parsed['apiVersion'] !== plugin.apiVersion ||
    status === undefined
  ) {
    throw new Error(
      `exec plugin ${plugin.command} did not print an ExecCredential of ${plugin.apiVersion} with a status`,
    );
  }
  const text = (name: string): string | undefined =>
    typeof status[name] === 'string' && status[name] !== '' ? status[name] : undefined;
  const cert = text('clientCertificateData');
  const key = text('clientKeyData');
  const token = text('token');
  if ((cert === undefined) !== (key === undefined))
    throw new Error(`exec plugin ${plugin.command} gave only one of certificate and key`);
  if (token === undefined && cert === undefined)
    throw new Error(`exec plugin ${plugin.command} gave neither a token nor a certificate`);
  const expiration = text('expirationTimestamp');
  return {
    token,
    certificate: cert === undefined || key === undefined ? undefined : { cert, key },
    expiresAt: expiration === undefined ? undefined : Date.parse(expiration),
  };
}
