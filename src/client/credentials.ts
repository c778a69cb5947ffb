import fs from 'node:fs/promises';
import type { Clock } from '../kernel/index.ts';

/** How a client authenticates. Called for every request and connection, so that expiring credentials can be renewed. */
export interface Credentials {
  /** The Authorization header; undefined with a client certificate or anonymous access. */
  authorization(): Promise<string | undefined>;
  /** The client certificate and its key, PEM, for the next connection. */
  certificate(): Promise<ClientCertificate | undefined>;
  /** Called after a 401: drops cached credentials. Returns true when a retry may help. */
  refused(): boolean;
}

export interface ClientCertificate {
  cert: string;
  key: string;
}

/** PEM text, or a file that may be replaced at runtime. */
export type PemSource = { data: string } | { file: string };

export const anonymous: Credentials = {
  authorization: () => Promise.resolve(undefined),
  certificate: () => Promise.resolve(undefined),
  refused: () => false,
};

export function bearerToken(token: string): Credentials {
  return { ...anonymous, authorization: () => Promise.resolve(`Bearer ${token}`) };
}

export function basicAuth(username: string, password: string): Credentials {
  const header = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return { ...anonymous, authorization: () => Promise.resolve(header) };
}

export function clientCertificate(cert: PemSource, key: PemSource): Credentials {
  return { ...anonymous, certificate: async () => ({ cert: await readPem(cert), key: await readPem(key) }) };
}

/** Projected tokens are rotated long before they expire; rereading the file once a minute is enough. */
const TOKEN_FILE_MAX_AGE_MS = 60_000;

export function tokenFile(file: string, clock: Clock): Credentials {
  let cached: { token: string; readAt: number } | undefined;
  return {
    ...anonymous,
    authorization: async () => {
      if (cached === undefined || clock.monotonic() - cached.readAt > TOKEN_FILE_MAX_AGE_MS) {
        try {
          const token = (await fs.readFile(file, 'utf8')).trim();
          if (token === '') throw new Error(`the token file ${file} is empty`);
          cached = { token, readAt: clock.monotonic() };
        } catch (error) {
          /** While the file is being replaced, the old token is used. */
          if (cached === undefined) throw error;
        }
      }
      return `Bearer ${cached.token}`;
    },
    refused: () => {
      const hadCached = cached !== undefined;
      cached = undefined;
      return hadCached;
    },
  };
}

/** Uses the first credentials that have a header, and the first that have a certificate. */
export function combine(...all: readonly Credentials[]): Credentials {
  const first = async <R>(ask: (credentials: Credentials) => Promise<R | undefined>): Promise<R | undefined> => {
    for (const credentials of all) {
      const answer = await ask(credentials);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return {
    authorization: () => first((credentials) => credentials.authorization()),
    certificate: () => first((credentials) => credentials.certificate()),
    refused: () => all.map((credentials) => credentials.refused()).includes(true),
  };
}

export async function readPem(source: PemSource): Promise<string> {
  return 'data' in source ? source.data : fs.readFile(source.file, 'utf8');
}
