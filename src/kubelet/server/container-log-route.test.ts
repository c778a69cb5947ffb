import { describe, expect, it } from 'vitest';
import { createContext } from '../../kernel/index.ts';
import { containerLog } from './container-log-route.ts';
import type { HttpError } from './http-error.ts';

const pod = {
  metadata: { name: 'a', namespace: 'default', uid: 'u' },
  spec: { containers: [{ name: 'c' }] },
  status: {},
};
const worker = {
  pod,
  podWithStatus: pod,
  isTerminating: false,
  observed: {
    containers: [{ id: 'i', name: 'c', state: 'running', status: { logPath: '/nonexistent/0.log' } }],
    sandboxes: [],
  },
};
const deps = {
  manager: { workers: [worker], worker: () => worker },
  runtime: {},
  clock: createContext({ writeLog: () => {} }).clock,
};

const statusOf = (query: string): Promise<number> =>
  containerLog(deps as never, {
    namespace: 'default',
    podName: 'a',
    containerName: 'c',
    query: new URLSearchParams(query),
    signal: new AbortController().signal,
  }).then(
    () => 200,
    (error: unknown) => (error as HttpError).status,
  );

describe('the options of a log request', () => {
  it.each([
    ['none', '', 200],
    ['all that can be together', 'tailLines=0&limitBytes=1&sinceSeconds=1', 200],
    ['a time', 'sinceTime=2026-01-01T00%3A00%3A00Z', 200],
    ['a number that is none', 'tailLines=x', 400],
    ['a time that is none', 'sinceTime=yesterday', 400],
    ['less than no lines', 'tailLines=-1', 422],
    ['no bytes', 'limitBytes=0', 422],
    ['a time to come', 'sinceSeconds=-5', 422],
    ['two times', 'sinceSeconds=5&sinceTime=2026-01-01T00%3A00%3A00Z', 422],
  ])('are checked before the answer begins: %s', async (_name, query, status) => {
    expect(await statusOf(query)).toBe(status);
  });
});
