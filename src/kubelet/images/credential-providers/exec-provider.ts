/** Executes a credential provider plugin: CredentialProviderRequest on stdin, CredentialProviderResponse on stdout. */
import { execFile } from 'node:child_process';
import { isRecord, parseDuration } from '../../../base/index.ts';
import type { ProviderConfig } from './provider-config.ts';

export interface ProviderRequest {
  readonly image: string;
  readonly serviceAccountToken?: string;
  readonly serviceAccountAnnotations?: Readonly<Record<string, string>>;
}

export interface ProviderAnswer {
  readonly cacheKeyType: 'Image' | 'Registry' | 'Global';
  /** Undefined for the defaultCacheDuration of the configuration. */
  readonly cacheMs: number | undefined;
  /** Credentials by image pattern. */
  readonly auth: Readonly<Record<string, { readonly username: string; readonly password: string }>>;
}

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 2 ** 20;

export async function execProvider(
  program: string,
  config: ProviderConfig,
  request: ProviderRequest,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const { apiVersion, name } = config;
  const env = { ...process.env, ...Object.fromEntries(config.env.map((one) => [one.name, one.value])) };
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      program,
      [...config.args],
      { env, signal, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else
          reject(
            new Error(
              `error execing credential provider plugin ${name} for image ${request.image}: ${error.killed === true ? 'context deadline exceeded' : `exit status ${String(error.code ?? 1)}`}${stderr === '' ? '' : `: ${stderr.trim()}`}`,
              { cause: error },
            ),
          );
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(JSON.stringify({ kind: 'CredentialProviderRequest', apiVersion, ...request }));
  });
  return readAnswer(output, apiVersion);
}

function readAnswer(output: string, apiVersion: string): ProviderAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch (error) {
    throw new Error(`error decoding credential provider plugin response from stdout: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (!isRecord(answer) || answer['kind'] !== 'CredentialProviderResponse')
    throw new Error(
      'error decoding credential provider plugin response from stdout: it holds no CredentialProviderResponse',
    );
  if (answer['apiVersion'] !== apiVersion)
    throw new Error(
      `apiVersion from credential plugin response did not match expected apiVersion:${apiVersion}, actual apiVersion:${String(answer['apiVersion'])}`,
    );
  const cacheKeyType = answer['cacheKeyType'];
  if (cacheKeyType !== 'Image' && cacheKeyType !== 'Registry' && cacheKeyType !== 'Global')
    throw new Error(
      `credential provider plugin did not return a valid cacheKeyType: ${JSON.stringify(cacheKeyType ?? '')}`,
    );
  const auth = Object.entries(isRecord(answer['auth']) ? answer['auth'] : {}).flatMap(([pattern, entry]) =>
    isRecord(entry)
      ? [[pattern, { username: String(entry['username'] ?? ''), password: String(entry['password'] ?? '') }]]
      : [],
  );
  return {
    cacheKeyType,
    cacheMs: typeof answer['cacheDuration'] === 'string' ? parseDuration(answer['cacheDuration']) : undefined,
    auth: Object.fromEntries(auth) as ProviderAnswer['auth'],
  };
}
