/** The names and types of metrics; those of the programming language's runtime are each server's own. */
import type { Area, Conversation, Step } from '../conversation.ts';

export const metrics: Area = { weight: 1, conversations };

function* conversations(): Generator<Conversation> {
  yield {
    topic: 'metrics',
    namespace: true,
    steps: [
      // Series appear with the first thing that they count.
      ...provoked,
      { method: 'GET', path: '/metrics', headers: { accept: '*/*' }, only: names },
    ],
  };
}

const SETUP = { setup: true } as const;
const NAMESPACE = '/api/v1/namespaces/$NS';

const provoked: readonly Step[] = [
  { ...SETUP, method: 'GET', path: `${NAMESPACE}/configmaps?limit=1` },
  { ...SETUP, method: 'GET', path: `${NAMESPACE}/endpoints` },
  {
    ...SETUP,
    method: 'GET',
    path: `${NAMESPACE}/pods?watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
  },
  {
    ...SETUP,
    method: 'POST',
    path: `${NAMESPACE}/services`,
    body: { metadata: { name: 'metrics' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
  },
  {
    ...SETUP,
    method: 'POST',
    path: `${NAMESPACE}/services`,
    body: { metadata: { name: 'again' }, spec: { clusterIP: '10.96.0.1', ports: [{ port: 80 }] } },
  },
];

function names(body: unknown): unknown {
  const lines = Array.isArray(body) ? (body as string[]) : [];
  const types = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    return name !== undefined && !/^(?:go|process|nodejs)_/.test(name) ? [`${name} ${type}`] : [];
  });
  return types.sort();
}
