import fs from 'node:fs/promises';
import type { Clock } from '../kernel/index.ts';

/** How a client proves who it is. Asked for every request and connection, so that what expires can be renewed. */
export interface Credentials {
  /** The authorization header; undefined where the certificate or nothing speaks for us. */
  authorization(): Promise<string | undefined>;
  /** The client certificate and its key, PEM, for the next connection. */
  certificate(): Promise<ClientCertificate | undefined>;
  /** The server answered 401: what is cached is no good. True when asking again may help. */
  refused(): boolean;
}

export interface ClientCertificate {
  cert: string;
  key: string;
}

/** Where PEM comes from: the text itself, or a file that may be replaced while we run. */
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

/** Projected tokens are replaced long before they expire; reading the file once a minute is soon enough. */
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
          /** While the file is being replaced the old token still serves. */
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

/** The first of several that has an answer, separately for header and certificate. */
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
