import { describe, expect, it } from 'vitest';
import { Cluster } from '../../index.ts';
import type { RecordedSpan } from '../../kernel/index.ts';
import { traceMermaid, traceOtlp, tracesOtlp } from './formats.ts';
import { spanTitle, traceText } from './text.ts';
import { isCommit, spansOf, tracesOf, type TraceNode } from './trace.ts';

const labels = { app: 'web' };
const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
  },
};

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
};

/** The names of a tree, without times. */
const namesOf = ({ span, children }: TraceNode): unknown => [spanTitle(span), children.map(namesOf)];

/** What the nodes and the control plane write by themselves, whether or not somebody applies anything. */
const isHeartbeat = ({ attributes }: RecordedSpan): boolean => attributes['k8s.resource'] === 'leases';

async function traced() {
  const cluster = await Cluster.start({ clock: { startTime: '2026-01-01T00:00:00Z' }, seed: 1, nodes: 2 });
  try {
    const before = await cluster.client.resource('v1/namespaces').list();
    const trace = await cluster.trace(() => cluster.apply([web, service]));
    const revisions = await commitsSince(cluster, Number(before.metadata.resourceVersion));
    return { trace, revisions };
  } finally {
    await cluster.stop();
  }
}

/** The revisions of the objects that are there now, from the API: not from what was recorded. */
async function commitsSince(cluster: Cluster, revision: number): Promise<string[]> {
  const { items } = await cluster.client.resource('v1/events').list();
  const objects = await Promise.all(
    (
      [
        'v1/pods',
        'apps/v1/deployments',
        'apps/v1/replicasets',
        'v1/services',
        'discovery.k8s.io/v1/endpointslices',
      ] as const
    ).map((resource) => cluster.client.resource<{ metadata: { resourceVersion?: string } }>(resource as never).list()),
  );
  return [...items, ...objects.flatMap((list) => list.items)]
    .map(({ metadata }) => metadata.resourceVersion ?? '')
    .filter((version) => Number(version) > revision);
}

describe('the trace of a Deployment of 3 and its Service', () => {
  it('has every write, from the apply to the ready pods', async () => {
    const { trace, revisions } = await traced();
    const spans = spansOf(trace.root);
    const written = spans.filter(isCommit).map(({ attributes }) => String(attributes['etcd.revision']));
    expect(revisions.length).toBeGreaterThan(8);
    expect(written).toEqual(expect.arrayContaining(revisions));
    // Revisions are consecutive: what is not in the trace was not caused by it.
    const numbers = written.map(Number).sort((a, b) => a - b);
    expect(numbers.at(-1)! - numbers[0]! + 1).toBe(numbers.length);
    expect(spans.filter(isHeartbeat)).toEqual([]);
    expect(trace.counts).toMatchObject({ writes: written.length, refusals: 0 });
    expect(trace.waiting).toEqual([]);
    const text = traceText(trace);
    expect(text).toContain('create pods/binding default/web-');
    expect(text).toMatch(/patch services default\/web[^]*create endpointslices default\/web-/);
    expect(text).toMatch(/update pods\/status[^]*update endpointslices default\/web-/);
    expect(text).toMatch(/\d+ writes, \d+ reconciles, \d+ watch deliveries; settled after \d.*; nothing waits\n$/);
  });

  it('is the same in ten runs', async () => {
    const first = namesOf((await traced()).trace.root);
    for (let run = 1; run < 10; run++) expect(namesOf((await traced()).trace.root)).toEqual(first);
  }, 120_000);

  it('is exported as OTLP and Mermaid', async () => {
    const { trace } = await traced();
    const { resourceSpans } = traceOtlp(trace) as {
      resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
    };
    const spans = resourceSpans[0]!.scopeSpans[0]!.spans;
    expect(spans).toHaveLength(spansOf(trace.root).length);
    expect(new Set(spans.map(({ traceId }) => traceId))).toHaveProperty('size', 1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const known = new Set(spans.map(({ spanId }) => spanId));
    expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined || !known.has(parentSpanId))).toHaveLength(1);
    expect(traceMermaid(trace)).toMatch(/^flowchart TD\n {2}s\d+\(\["trace"\]\)/);
  });
});

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

describe('all traces', () => {
  const span = (id: number, more: Partial<RecordedSpan> = {}): RecordedSpan => ({
    id,
    traceId: `t${id}`,
    spanId: `s${id}`,
    name: `span ${id}`,
    startedAt: id,
    endedAt: id + 1,
    parent: 0,
    causes: [],
    attributes: {},
    ...more,
  });
  const commit = (id: number, parent: number, revision: number): RecordedSpan =>
    span(id, { name: 'commit', parent, attributes: { 'etcd.revision': revision } });
  // Two requests, a reconcile that saw what both wrote, and the rest of a trace whose beginning was dropped.
  const spans = [
    span(11),
    commit(12, 11, 100),
    span(13),
    commit(14, 13, 101),
    span(15, { causes: [100, 101] }),
    span(16, { parent: 3 }),
  ];

  it('begin where no cause is recorded, and share what several caused', () => {
    const members = [...tracesOf(spans)].map(({ root }) => spansOf(root).map(({ id }) => id));
    expect(members).toEqual([[11, 12, 15], [13, 14, 15], [16]]);
  });

  it('have each span once in OTLP', () => {
    const { resourceSpans } = tracesOtlp(tracesOf(spans)) as {
      resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
    };
    const exported = resourceSpans[0]!.scopeSpans[0]!.spans;
    expect(exported.map(({ traceId, spanId, parentSpanId }) => [traceId, parentSpanId, spanId])).toEqual([
      ['t11', undefined, 's11'],
      ['t11', 's11', 's12'],
      ['t11', 's12', 's15'],
      ['t13', undefined, 's13'],
      ['t13', 's13', 's14'],
      ['t16', undefined, 's16'],
    ]);
  });
});

describe('a trace', () => {
  it('says what waits, and what was refused', async () => {
    const cluster = await Cluster.start({ clock: 'virtual', seed: 1 });
    const pod = (name: string, cpu: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu } } }] },
    });
    const trace = await cluster.trace(async () => {
      await cluster.apply(pod('huge', '5000'));
      await cluster.apply({ ...pod('wrong', '1'), spec: { containers: [] } }).catch(() => undefined);
    });
    expect(trace.counts.refusals).toBe(1);
    expect(trace.waiting).toEqual([expect.stringContaining('pod default/huge (0/1 nodes are available')]);
    expect(traceText(trace)).toContain('! Pod "wrong" is invalid: spec.containers: Required value');
    await cluster.stop();
  });

  it('follows a deletion to the last dependent', async () => {
    const cluster = await Cluster.start({ clock: 'virtual', seed: 1 });
    await cluster.apply(web);
    await cluster.waitFor('deployment/web', 'Available');
    const trace = await cluster.trace(() =>
      cluster.client.resource('apps/v1/deployments').delete({ namespace: 'default', name: 'web' }),
    );
    const deleted = spansOf(trace.root)
      .filter((span) => isCommit(span) && span.attributes['etcd.operation'] === 'delete')
      .map(({ attributes }) => attributes['k8s.resource']);
    expect(deleted.filter((resource) => resource === 'pods')).toHaveLength(3);
    expect(deleted).toEqual(expect.arrayContaining(['deployments', 'replicasets']));
    await cluster.stop();
  });

  it('is refused where spans are not recorded', async () => {
    const cluster = await Cluster.start({ clock: 'virtual', seed: 1, tracing: false });
    await expect(cluster.trace(() => Promise.resolve())).rejects.toThrow('tracing: false');
    await cluster.stop();
  });
});

describe('an assertion that does not hold in time', () => {
  const huge = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'huge', namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '5000' } } }] },
  };

  it('says what the last write caused, and why', async () => {
    const cluster = await Cluster.start({ clock: 'virtual', seed: 1 });
    await cluster.apply(huge);
    const phase = async () =>
      (await cluster.client.resource('v1/pods').get({ name: 'huge', namespace: 'default' })).status?.phase;
    const failed: unknown = await cluster
      .eventually(async () => expect(await phase()).toBe('Running'), { timeout: '5s' })
      .catch((error: unknown) => error);
    const { message, cause } = failed as Error;
    expect(message).toContain("expected 'Pending' to be 'Running'");
    expect(message).toContain('timed out after 5s');
    expect(message).toMatch(/patch pods default\/huge .*by kubernetes-admin/);
    expect(message).toMatch(/schedule default\/huge .*! 0\/1 nodes are available/);
    expect(message).toContain('Insufficient cpu');
    expect(cause).toHaveProperty('actual', 'Pending');
    await expect(cluster.eventually(() => expect(1).toBe(2), { timeout: 0, about: 'pod/huge' })).rejects.toThrow(
      'schedule default/huge',
    );
    await cluster.stop();
  });

  it('returns what the assertion returns once it holds', async () => {
    const cluster = await Cluster.start({ clock: 'virtual', seed: 1 });
    await cluster.apply(web);
    const pods = await cluster.eventually(async () => {
      const { items } = await cluster.client.resource('v1/pods').list({ namespace: 'default' });
      expect(items.filter(({ status }) => status?.phase === 'Running')).toHaveLength(3);
      return items;
    });
    expect(pods).toHaveLength(3);
    await cluster.stop();
  });
});
