import { describe, expect, it } from 'vitest';
import { SeededRandom } from './seeded-random.ts';
import { SpanRing } from './span-ring.ts';
import type { Commit, ReadSpan, Span } from './tracing.ts';
import { VirtualClock } from './virtual-clock.ts';

const ringOf = (maxBytes?: number, seed = 1): SpanRing =>
  new SpanRing({
    clock: new VirtualClock({ startTime: 1_000_000 }),
    random: new SeededRandom(seed),
    ...(maxBytes ? { maxBytes } : {}),
  });

const commitOf = (revision: number): Commit => ({
  revision,
  parent: 0,
  startedAt: revision + 0.25,
  operation: 'put',
  group: '',
  resource: 'pods',
  namespace: 'default',
  name: `pod-${revision}`,
  deliveries: 1,
});

describe('a ring of spans', () => {
  it('keeps no more bytes than it may, and the newest spans', () => {
    const ring = ringOf(100_000);
    for (let i = 1; i <= 20_000; i++) {
      ring.committed(commitOf(i));
      expect(ring.bytes).toBeLessThanOrEqual(100_000);
    }
    const kept = ring.since();
    expect(kept.at(-1)?.attributes['etcd.revision']).toBe(20_000);
    expect(kept.length).toBeGreaterThan(100);
    expect(kept.length).toBeLessThan(400);
    expect(ring.commitOf(1)).toBeUndefined();
    expect(ring.commitOf(20_000)?.id).toBe(20_000);
    expect(ring.span(kept[0]!.id)).toEqual(kept[0]);
    expect(ring.since(19_999)).toHaveLength(2);
  });

  it('gives back what a span took, whatever was added to it later', () => {
    const ring = ringOf(100_000);
    for (let i = 1; i <= 5_000; i++) {
      const span = ring.start('update pods', { attributes: { 'http.response.status_code': undefined } });
      span.attributes['user.name'] = 'a'.repeat(100);
      ring.end(span, new Error('conflict'));
    }
    const [count, bytes] = [ring.since().length, ring.bytes];
    expect(bytes / count).toBeLessThan(500);
    expect(count * (bytes / count)).toBeGreaterThan(80_000);
  });

  it('uses the objects of ended requests again, with nothing left of what they were', () => {
    const ring = ringOf(10_000);
    const first = ring.startRequest('/first', 1.5, 9);
    Object.assign(first.attributes, {
      'k8s.verb': 'delete',
      'k8s.resource': 'pods',
      'k8s.dry_run': true,
      'k8s.impersonator': 'jane',
      'user.name': 'admin',
      'http.response.status_code': 409,
    });
    ring.end(first, new Error('conflict'));
    ring.committed(commitOf(1));
    const [read] = ring.recorded(first.id, 1);
    for (let i = 2; i < 100; i++) ring.committed(commitOf(i));
    expect(ring.span(1)).toBeUndefined();
    const again = ring.startRequest('/second', 2.5, 0);
    expect(again).toBe(first);
    Object.assign(again.attributes, { 'k8s.verb': 'create', 'k8s.resource': 'pods', 'k8s.subresource': 'binding' });
    expect(again.name).toBe('create pods/binding');
    const { attributes, ...rest } = ring.recorded(again.id, 1)[0]!;
    expect(JSON.parse(JSON.stringify(attributes))).toEqual({
      'url.path': '/second',
      'k8s.verb': 'create',
      'k8s.resource': 'pods',
      'k8s.subresource': 'binding',
    });
    expect(rest).toEqual({ ...rest, id: 101, parent: 0, causes: [] });
    expect(rest).not.toHaveProperty('endedAt');
    expect(rest).not.toHaveProperty('error');
    expect(read).toMatchObject({ name: 'delete pods', error: 'conflict', attributes: { 'user.name': 'admin' } });
    expect(ring.commitOf(99)).toMatchObject({ startedAt: 99.25, attributes: { 'k8s.object.name': 'pod-99' } });
  });

  it('reads back all that it packs of a request and its commit, before and after the slots are used again', () => {
    const ring = ringOf(60_000);
    for (let i = 1; i <= 500; i++) {
      const span = ring.startRequest(`/api/v1/pods/pod-${i}`, i + 0.5, 1_000_000);
      const attributes = {
        'http.request.method': 'DELETE',
        'user.name': `user-${i}`,
        'k8s.verb': 'delete',
        'k8s.group': '',
        'k8s.resource': 'pods',
        'k8s.subresource': '',
        'k8s.namespace.name': 'default',
        'k8s.object.name': `pod-${i}`,
        'k8s.audit.id': `audit-${i}`,
        'k8s.flowschema.uid': 'flow',
        'http.response.status_code': i % 2 === 0 ? 409 : 200,
        ...(i % 3 === 0 ? { 'k8s.dry_run': true, 'k8s.impersonator': 'jane' } : {}),
      };
      Object.assign(span.attributes, attributes);
      const { id } = span;
      if (i % 2 === 1) ring.committed({ ...commitOf(i), parent: id, operation: 'delete', deliveries: i });
      ring.end(span, i % 2 === 0 ? new Error('conflict') : undefined);
      const [request, commit] = ring.recorded(id, 2);
      expect(JSON.parse(JSON.stringify(request!.attributes))).toEqual({
        ...attributes,
        'url.path': `/api/v1/pods/pod-${i}`,
      });
      expect(request).toMatchObject({ id, name: 'delete pods', parent: 1_000_000 });
      expect(request!.endedAt! - request!.startedAt).toBeCloseTo(-i - 0.5);
      expect(request!.error).toBe(i % 2 === 0 ? 'conflict' : undefined);
      if (i % 2 === 0) continue;
      expect(commit).toMatchObject({ name: 'commit', parent: id, attributes: { 'etcd.operation': 'delete' } });
      expect(commit!.attributes).toMatchObject({ 'etcd.revision': i, 'k8s.watch.deliveries': i });
      const place = { group: '', resource: 'pods', namespace: 'default' };
      expect(ring.recordedOf({ ...place, name: `pod-${i}` }).map((found) => found.id)).toEqual([id, id + 1]);
      expect(ring.recordedOf({ ...place, name: 'pod-0' })).toEqual([]);
    }
    expect(ring.bytes).toBeLessThanOrEqual(60_000);
  });

  it('leaves the span of a request that lasts to that request, and those that were exported to the exporter', () => {
    const ring = ringOf(10_000);
    const lasting = ring.startRequest('/lasting', 1.5, 0);
    for (let i = 1; i < 100; i++) ring.committed(commitOf(i));
    expect(ring.span(lasting.id)).toBeUndefined();
    expect(ring.startRequest('/next', 2.5, 0)).not.toBe(lasting);
    const timedOut = ring.startRequest('/timed-out', 3.5, 0);
    timedOut.isHeld = true;
    ring.end(timedOut);
    for (let i = 1; i < 100; i++) ring.committed(commitOf(i));
    expect(ring.span(timedOut.id)).toBeUndefined();
    expect(ring.startRequest('/next', 4.5, 0)).not.toBe(timedOut);
    const exported: Span[] = [];
    ring.exportTo({ read: () => {}, ended: (span) => exported.push(span), contextOf: () => expect.fail('not asked') });
    for (let i = 100; i < 300; i++) ring.committed(commitOf(i));
    expect(new Set(exported).size).toBe(200);
    expect(exported.map(({ attributes }) => attributes['etcd.revision'])).toEqual(exported.map((_, i) => 100 + i));
  });

  it('exports reads, which take no place', () => {
    const ring = ringOf(100_000);
    const read = { startedAt: 0, endedAt: 1, parent: 0, verb: 'get', path: '/', user: 'a', status: 200, auditId: '1' };
    ring.read(read);
    const exported: ReadSpan[] = [];
    ring.exportTo({ read: (span) => exported.push(span), ended: () => {}, contextOf: () => expect.fail('not asked') });
    ring.read(read);
    expect(exported).toEqual([read]);
    expect(ring.since()).toEqual([]);
  });

  it('ends spans with what was decided', () => {
    const ring = ringOf();
    const { id } = ring.start('schedule');
    ring.decided(id, { 'k8s.node.name': 'n' });
    expect(ring.span(id)).toMatchObject({ attributes: { 'k8s.node.name': 'n' }, endedAt: expect.any(Number) });
    ring.decided(99, { 'k8s.node.name': 'n' });
  });
});

describe('spans of another process', () => {
  it('are recorded once, with their name, causes and attributes', () => {
    const [manager, server] = [ringOf(undefined, 1), ringOf(undefined, 2)];
    const first = manager.start('reconcile deployment', { causes: [7], attributes: { 'k8s.key': 'default/web' } });
    const again = manager.start('reconcile deployment', { causes: [{ span: first.id }, 9] });
    const id = server.fromHeaders(manager.headersOf(first.id)!);
    expect(server.fromHeaders(manager.headersOf(first.id)!)).toBe(id);
    expect(server.span(id)).toMatchObject({
      name: 'reconcile deployment',
      causes: [7],
      attributes: { 'k8s.key': 'default/web' },
      remote: manager.identityOf(first),
    });
    const second = server.fromHeaders(manager.headersOf(again.id)!);
    expect(server.span(second)?.causes).toEqual([{ span: id }, 9]);
  });

  it('are this process’ own when their headers come back', () => {
    const ring = ringOf();
    const span = ring.start('reconcile deployment');
    expect(ring.fromHeaders(ring.headersOf(span.id)!)).toBe(span.id);
    expect(ring.since()).toHaveLength(1);
  });

  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const encoded = (value: unknown): string => `k8ts=${encodeURIComponent(JSON.stringify(value))}`;
  it.each([
    ['no traceparent', {}, 0],
    ['a malformed traceparent', { traceparent: '00-xyz-1-01' }, 0],
    ['an invalid trace id', { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }, 0],
    ['no baggage', { traceparent: parent }, { name: 'remote', causes: [] }],
    ['baggage of others', { traceparent: parent, baggage: 'userId=alice' }, { name: 'remote' }],
    ['baggage that is no JSON', { traceparent: parent, baggage: 'k8ts=%7B' }, { name: 'remote' }],
    ['broken percent-encoding', { traceparent: parent, baggage: 'k8ts=%' }, { name: 'remote' }],
    ['a long name', { traceparent: parent, baggage: encoded(['a'.repeat(300), [], {}]) }, { name: 'remote' }],
    [
      'wrong causes and attributes',
      { traceparent: parent, baggage: encoded(['a', [-1, 'x', {}, 3], { 'k8s.key': {}, __proto__: 1, n: 'x' }]) },
      { name: 'a', causes: [3], attributes: { n: 'x' } },
    ],
  ])('%s', (_, headers, expected) => {
    const ring = ringOf();
    const id = ring.fromHeaders(headers);
    if (expected === 0) expect(id).toBe(0);
    else expect(ring.span(id)).toMatchObject(expected as object);
  });
});
