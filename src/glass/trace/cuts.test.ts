import { expect, it } from 'vitest';
import { createTestContext, SpanRing } from '../../kernel/index.ts';
import { traceText } from './text.ts';
import { traceOf } from './trace.ts';

const pod = { group: '', resource: 'pods', namespace: 'default', name: 'web' };

it('a component that sends no trace context cuts the trace, which says so', () => {
  const { clock, random } = createTestContext();
  const ring = new SpanRing({ clock, random });
  let revision = 10;
  const write = (name: string, user: string, causes: readonly number[], object = pod): number => {
    const parent =
      causes.length === 0 ? 0 : ring.start('reconcile x', { causes, attributes: { 'k8s.controller': 'x' } }).id;
    const request = ring.start(name, { parent, attributes: { 'http.request.method': 'POST', 'user.name': user } });
    const { id: made, startedAt } = request;
    ring.committed({ revision: ++revision, parent: made, startedAt, operation: 'put', deliveries: 0, ...object });
    ring.end(request);
    return request.id;
  };
  write('create pods', 'before', []);
  const root = write('create pods', 'me', []);
  write('patch pods', 'controller', [revision]);
  const bound = write('create pods/binding', 'system:kube-scheduler', []) && revision;
  write('patch pods/status', 'system:node:a', [bound]);
  write('create pods', 'somebody', [], { ...pod, name: 'other' });
  const trace = traceOf(ring.recorded(), root)!;
  expect(trace.counts.writes).toBe(2);
  expect(trace.cuts).toEqual([{ user: 'system:kube-scheduler', requests: ['create pods/binding'], writes: 1 }]);
  expect(traceText(trace)).toContain(
    'cut at system:kube-scheduler: 1 write to objects of this trace (create pods/binding) did not say their cause',
  );
});
