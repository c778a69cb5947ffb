/** Registry credentials: from the pull request (image pull secrets), else from the host's docker config. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../../base/index.ts';
import type { AuthConfig } from '../../../cri/index.ts';
import { ImageError } from '../image-error.ts';

export interface Credentials {
  readonly username?: string;
  readonly password?: string;
  /** A refresh token that stands for username and password at the token server. */
  readonly identityToken?: string;
  /** A bearer token for the registry itself. */
  readonly registryToken?: string;
}

const HUB_NAMES = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

/** Undefined if there are none, or they are for another server. */
export function fromAuthConfig(auth: AuthConfig | undefined, domain: string): Credentials | undefined {
  if (auth === undefined) return undefined;
  if (auth.serverAddress !== undefined && auth.serverAddress !== '' && !sameServer(auth.serverAddress, domain))
    return undefined;
  if (auth.registryToken !== undefined && auth.registryToken !== '') return { registryToken: auth.registryToken };
  if (auth.identityToken !== undefined && auth.identityToken !== '') return { identityToken: auth.identityToken };
  if (auth.username !== undefined && auth.username !== '')
    return { username: auth.username, password: auth.password ?? '' };
  return auth.auth === undefined || auth.auth === '' ? undefined : decodeAuth(auth.auth);
}

interface DockerConfig {
  readonly auths?: Readonly<
    Record<string, { auth?: string; username?: string; password?: string; identitytoken?: string }>
  >;
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

/** A credential helper for the host, else the entry in `auths`, else the credentials store. */
export async function fromDockerConfig(
  path: string,
  domain: string,
  signal?: AbortSignal,
): Promise<Credentials | undefined> {
  let config: DockerConfig;
  try {
    config = JSON.parse(await readFile(path, 'utf8')) as DockerConfig;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new ImageError('FAILED_PRECONDITION', `${path} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
  const helper = Object.entries(config.credHelpers ?? {}).find(([server]) => sameServer(server, domain));
  if (helper !== undefined) return runHelper(helper[1], helper[0], signal);
  const [server, entry] = Object.entries(config.auths ?? {}).find(([name]) => sameServer(name, domain)) ?? [];
  if (entry?.identitytoken !== undefined && entry.identitytoken !== '') return { identityToken: entry.identitytoken };
  if (entry?.username !== undefined && entry.username !== '')
    return { username: entry.username, password: entry.password ?? '' };
  if (entry?.auth !== undefined && entry.auth !== '') return decodeAuth(entry.auth);
  if (config.credsStore === undefined || config.credsStore === '') return undefined;
  const serverName = server ?? (HUB_NAMES.has(domain) ? 'https://index.docker.io/v1/' : domain);
  return runHelper(config.credsStore, serverName, signal);
}

/** Runs a docker credential helper: `get`, with the server on standard input and JSON on standard output. */
async function runHelper(name: string, server: string, signal?: AbortSignal): Promise<Credentials | undefined> {
  if (!/^[A-Za-z0-9._-]+$/.test(name))
    throw new ImageError('FAILED_PRECONDITION', `${JSON.stringify(name)} is not a name of a credential helper`);
  const program = `docker-credential-${name}`;
  const { code, output } = await run(program, server, signal);
  if (code !== 0) {
    if (output.includes('credentials not found')) return undefined;
    throw new ImageError('UNAUTHENTICATED', `${program} failed for ${server}: ${output.trim().slice(0, 200)}`);
  }
  let answer: { Username?: unknown; Secret?: unknown };
  try {
    answer = JSON.parse(output) as typeof answer;
  } catch {
    throw new ImageError('UNAUTHENTICATED', `${program} answered with something that is not JSON`);
  }
  const { Username: username, Secret: secret } = answer;
  if (typeof username !== 'string' || typeof secret !== 'string')
    throw new ImageError('UNAUTHENTICATED', `${program} answered without credentials`);
  return username === '<token>' ? { identityToken: secret } : { username, password: secret };
}

async function run(
  program: string,
  input: string,
  signal?: AbortSignal,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['get'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      ...(signal === undefined ? {} : { signal }),
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', (error) =>
      reject(new ImageError('UNAUTHENTICATED', `${program} cannot be run: ${error.message}`, { cause: error })),
    );
    child.once('close', (code) => resolve({ code, output }));
    child.stdin.on('error', () => {}).end(input);
  });
}

function decodeAuth(auth: string): Credentials {
  const text = Buffer.from(auth, 'base64')
    .toString('utf8')
    .replace(/(?<!\0)\0+$/, '');
  const colon = text.indexOf(':');
  if (colon === -1)
    throw new ImageError('INVALID_ARGUMENT', 'invalid auth: it is not a user name and password in base64');
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Servers are hosts or URLs; Docker Hub has three names. */
function sameServer(server: string, domain: string): boolean {
  const host = server.replace(/^https?:\/\//, '').split('/', 1)[0] ?? '';
  return host === domain || (HUB_NAMES.has(host) && HUB_NAMES.has(domain));
}
