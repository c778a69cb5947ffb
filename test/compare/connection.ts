/** HTTPS to an API server, as the user of a kubeconfig. */
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { parse } from 'yaml';
import type { Answer, Request, Server } from './conversation.ts';

interface Kubeconfig {
  readonly 'current-context': string;
  readonly contexts: readonly { name: string; context: { cluster: string; user: string } }[];
  readonly clusters: readonly { name: string; cluster: Record<string, string> }[];
  readonly users: readonly { name: string; user: Record<string, string> }[];
}

const ANSWER_WITHIN_MS = 20_000;

/** `directory` is where relative file names of the kubeconfig lead. */
export function connectTo(kubeconfig: string, directory: string): Server {
  const config = parse(kubeconfig) as Kubeconfig;
  const context = config.contexts.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users.find(({ name }) => name === context?.user)?.user ?? {};
  if (!cluster?.['server']) throw new Error('the kubeconfig names no server');
  const bytes = (from: Record<string, string>, key: string): Buffer | undefined => {
    if (from[`${key}-data`]) return Buffer.from(from[`${key}-data`]!, 'base64');
    return from[key] ? fs.readFileSync(path.resolve(directory, from[key])) : undefined;
  };
  const url = new URL(cluster['server']);
  const agent = new https.Agent({
    keepAlive: true,
    maxSockets: 32,
    ca: bytes(cluster, 'certificate-authority'),
    cert: bytes(user, 'client-certificate'),
    key: bytes(user, 'client-key'),
  });
  const authorization: Record<string, string> = user['token'] ? { authorization: `Bearer ${user['token']}` } : {};
  return {
    send: (request) => exchange(url, agent, { ...request, headers: { ...authorization, ...request.headers } }),
    close: () => agent.destroy(),
  };
}

export function connectToFile(file: string): Server {
  return connectTo(fs.readFileSync(file, 'utf8'), path.dirname(path.resolve(file)));
}

function exchange(url: URL, agent: https.Agent, { method, path, headers, body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = https.request(
      {
        ...{ host: url.hostname, port: url.port, method, path, agent, timeout: ANSWER_WITHIN_MS },
        // Node would send the body of a DELETE without its length, and the server would not read it.
        headers: { ...headers, ...(body ? { 'content-length': String(body.length) } : {}) },
      },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: headersOf(answer.rawHeaders),
            body: Buffer.concat(pieces),
          }),
        );
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${ANSWER_WITHIN_MS / 1000} s`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Repeated headers stay apart: two warnings are not one. */
function headersOf(raw: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? raw[i + 1]! : [...[before].flat(), raw[i + 1]!];
  }
  return headers;
}
