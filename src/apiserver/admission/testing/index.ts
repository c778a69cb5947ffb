/** Fixtures of admission tests: objects to send, and functions that create them or return the rejection. */
import type { Container, PodSpec } from '../../../api/generated/core-v1.ts';
import type { UserInfo } from '../../request/request.ts';
import type { TestServer } from '../../testing/index.ts';

export const pod = (name: string, spec: Partial<PodSpec> = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [container()], ...spec },
});

export const container = (fields: Partial<Container> = {}): Container => ({
  name: 'c',
  image: 'registry.example/app:1',
  ...fields,
});

export const podsPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;

export async function createNamespace(server: TestServer, name: string, metadata: object = {}): Promise<string> {
  await createObject(server, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, ...metadata },
  });
  return name;
}

/** Creates an object; throws if the server rejects it. */
export async function createObject(server: TestServer, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await server.call('POST', path, { body });
  if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body;
}

/** Sends a dry run; returns the message of the rejection, or undefined if the server accepts the object. */
export async function rejection(
  server: TestServer,
  path: string,
  body: object,
  user?: UserInfo,
): Promise<string | undefined> {
  const answer = await server.call('POST', `${path}${path.includes('?') ? '&' : '?'}dryRun=All`, {
    body,
    ...(user ? { user } : {}),
  });
  return answer.status < 400 ? undefined : String(answer.body['message']);
}
