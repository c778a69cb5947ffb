/**
 * The same conversation with each feature of the speed layer off: the answers must not tell which one it was. Those of the
 * transport have their rows in transport/serve.test.ts.
 */
import { describe, expect, it } from 'vitest';
import { plainBytes, useByteAllocator } from '../../kernel/long-lived-buffers.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { ApiResponse, ResponseSink } from '../request/request.ts';
import { ALL_SPEED, type SpeedOptions } from '../request/speed-options.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const pod = (metadata: object, spec: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { labels: { app: 'web' }, ...metadata },
    spec: { containers: [{ name: 'web', image: 'nginx:1' }], ...spec },
  }) as KubeObject;

/** The order of fields is no part of an answer: that of a Table follows the object in memory, not its bytes. */
const sortedJson = (object: unknown): string =>
  JSON.stringify(object, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

class Transcript {
  readonly lines: string[] = [];
  readonly #names = new Map<string, string>();

  /** Random names and UIDs, by the order in which they appear. */
  add(line: string): void {
    this.lines.push(
      line.replaceAll(
        /(?<=web-|kube-api-access-)[a-z0-9]{5}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g,
        (name) => {
          if (!this.#names.has(name)) this.#names.set(name, `random-${this.#names.size}`);
          return this.#names.get(name)!;
        },
      ),
    );
  }
}

/** Runs every feature: templates, writes of objects in this process, unchanged fields, several watchers of one event. */
async function converse(server: TestServer): Promise<string[]> {
  const transcript = new Transcript();
  const call = async (...args: Parameters<TestServer['call']>): Promise<KubeObject> => {
    const { status, text, warnings, body } = await server.call(...args);
    transcript.add(
      `${args[0]} ${args[1]} ${status} ${warnings.join(' ')} ${text.startsWith('{') ? sortedJson(JSON.parse(text)) : text}`,
    );
    return body;
  };
  const within = async (method: string, path: string, object?: KubeObject): Promise<KubeObject> => {
    const response = await server.pipeline.handle(inProcess(server, method, path, object));
    const { result } = response;
    const shown =
      result?.type === 'entry' ? result.entry.object : result?.type === 'object' ? result.object : undefined;
    transcript.add(
      `${method} ${path} ${response.status} ${shown ? sortedJson(shown) : (response.body?.toString() ?? '')}`,
    );
    return shown!;
  };
  const watches = await Promise.all([
    watch(server, `${PODS}?watch=true`),
    watch(server, `${PODS}?watch=true`),
    watch(server, `${PODS}?watch=true&labelSelector=app%3Dother`),
    watch(server, `${PODS}?watch=true`, 'application/vnd.kubernetes.protobuf;stream=watch'),
    watch(server, `${PODS}?watch=true`, 'application/json;as=Table;v=v1;g=meta.k8s.io'),
  ]);

  for (let i = 0; i < 4; i++) await call('POST', PODS, { body: pod({ generateName: 'web-' }) });
  for (let i = 0; i < 4; i++) await within('POST', PODS, pod({ generateName: 'web-', labels: { app: 'inside' } }));
  for (let i = 0; i < 3; i++) await call('POST', PODS, { body: pod({ generateName: 'web-' }, { containers: [] }) });
  await call('POST', PODS, { body: pod({ name: 'a' }) });
  await call('POST', PODS, { body: pod({ name: 'a' }) });
  await call('POST', `${PODS}?dryRun=All`, { body: pod({ name: 'b' }) });
  await call('POST', `${PODS}?fieldValidation=Strict`, { body: { ...pod({ name: 'b' }), colour: 'red' } });

  const live = await within('GET', `${PODS}/a`);
  await within('PUT', `${PODS}/a/status`, { ...live, status: { phase: 'Running' } } as KubeObject);
  const patched = { contentType: 'application/merge-patch+json' };
  await call('PATCH', `${PODS}/a/status`, { ...patched, body: { status: { message: 'm' } } });
  await call('PATCH', `${PODS}/a`, { ...patched, body: { metadata: { labels: { app: 'other' } } } });
  await call('PATCH', `${PODS}/a`, { ...patched, body: { metadata: { labels: { app: 'other' } } } });
  await call('PATCH', `${PODS}/a`, { ...patched, body: { spec: { containers: [{ name: 'web', image: 'nginx:2' }] } } });
  await call('PATCH', `${PODS}/a?fieldManager=m`, {
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { applied: 'yes' } } },
  });
  await within('PUT', `${PODS}/a`, { ...(await within('GET', `${PODS}/a`)), spec: {} } as KubeObject);
  await call('POST', CONFIG_MAPS, { body: { metadata: { name: 'c' }, data: { k: 'v' } } });
  await within('PUT', `${CONFIG_MAPS}/c`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c' },
  } as KubeObject);

  await call('GET', `${PODS}/a`);
  await call('GET', `${PODS}/a`, { accept: 'application/yaml' });
  await call('GET', `${PODS}/absent`);
  await call('GET', PODS);
  await call('GET', `${PODS}?labelSelector=app%3Dinside&limit=2`);
  await call('GET', PODS, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  await call('GET', `${PODS}?fieldSelector=metadata.name%3Da`, { accept: 'application/vnd.kubernetes.protobuf' });
  await call('DELETE', `${PODS}/a?gracePeriodSeconds=0`);
  await call('DELETE', CONFIG_MAPS);
  for (const watched of watches) transcript.add(await watched.end());
  return transcript.lines;
}

const inProcess = (
  server: TestServer,
  method: string,
  path: string,
  object?: KubeObject,
): Parameters<TestServer['pipeline']['handle']>[0] => ({
  method,
  path,
  query: new URLSearchParams(),
  headers: { 'user-agent': 'test' },
  ...(object ? { object } : {}),
  inProcess: true,
  user: { name: 'admin', groups: ['system:masters'] },
  remoteAddress: '',
  signal: server.ctx.signal,
  readBody: () => Promise.resolve(Buffer.alloc(0)),
});

async function watch(server: TestServer, target: string, accept?: string): Promise<{ end(): Promise<string> }> {
  const { response } = (await server.call('GET', target, accept ? { accept } : {})) as { response: ApiResponse };
  const ending = new AbortController();
  const frames: Buffer[] = [];
  const sink: ResponseSink = {
    write: (piece) => frames.push(Buffer.from(piece)) > 0,
    drained: () => Promise.resolve(),
    pending: 0,
    signal: ending.signal,
  };
  const running = response.stream!(sink);
  return {
    async end() {
      ending.abort();
      await running;
      const sent = accept?.includes('protobuf')
        ? Buffer.concat(frames).toString('latin1')
        : frames.map((frame) => sortedJson(JSON.parse(frame.toString()))).join('\n');
      return `${target} ${sent}`;
    },
  };
}

async function conversation(speed: Partial<SpeedOptions>): Promise<string[]> {
  const server = await startTestServer({ speed });
  try {
    return await converse(server);
  } finally {
    await server.stop();
  }
}

function expectSame(lines: readonly string[], expected: readonly string[]): void {
  for (const [i, line] of lines.entries()) expect(line).toBe(expected[i]);
  expect(lines).toHaveLength(expected.length);
}

describe('the speed layer', () => {
  const expected = conversation({});

  it('is covered by a conversation that does something', async () => {
    const lines = await expected;
    expect(lines.length).toBeGreaterThan(35);
    expect(lines.filter((line) => / (?:200|201) /.test(line)).length).toBeGreaterThan(25);
    expect(lines.at(-5)).toContain('"type":"DELETED"');
  });

  it.each<Partial<SpeedOptions>>([
    { lazyEncoding: false },
    // Lazy encodings leave nothing to remember.
    { lazyEncoding: false, writtenObjects: false },
    { sharedFrames: false },
    { templateCache: false },
    { unchangedFields: false },
  ])('answers the same with %j', async (speed) => {
    expectSame(await conversation(speed), await expected);
  });

  it('answers the same without any of it', async () => {
    const none = Object.fromEntries(Object.keys(ALL_SPEED).map((feature) => [feature, false]));
    expectSame(await conversation(none), await expected);
  });

  it('answers the same with memory that V8 counts', async () => {
    await expected;
    const restore = useByteAllocator(plainBytes);
    try {
      expectSame(await conversation({}), await expected);
    } finally {
      restore();
    }
  });
});
