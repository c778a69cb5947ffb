import { expect, it } from 'vitest';
import { NO_SPAN, type Span } from '../../kernel/index.ts';
import { AdmissionRecord } from './admission-record.ts';
import { RequestRecords, type AnsweredExchange } from './request-records.ts';

interface Answered extends Partial<AnsweredExchange> {
  readonly endedAt?: number;
  readonly status?: number;
}

const SPAN: Span = { ...NO_SPAN, id: 1 };

function add(records: RequestRecords, auditId: string, { endedAt = 1, status = 200, ...more }: Answered = {}): void {
  const exchange: AnsweredExchange = {
    auditId,
    startedAt: 0,
    span: undefined,
    admission: undefined,
    decision: undefined,
    policyGeneration: 1,
    authorizingAt: 0,
    authorizedAt: 0,
    waitedMs: 0,
    user: undefined,
    impersonator: undefined,
    flow: undefined,
    failure: undefined,
    expired: undefined,
    info: { verb: 'get' },
    request: { method: 'GET', path: '/api/v1/pods', query: new URLSearchParams() },
    ...more,
  };
  records.add(exchange, status, endedAt);
}

it('keeps the newest requests within its bytes', () => {
  const records = new RequestRecords();
  for (let i = 0; i < 100_000; i++) add(records, `read-${i}`);
  expect(records.find('read-99999')).toBeDefined();
  expect(records.find('read-0')).toBeUndefined();
  expect(records.length).toBeLessThan(5_000);
  expect(records.bytes).toBeLessThanOrEqual(2 * 1024 * 1024);
});

it('keeps writes, refusals and slow requests apart from plain reads', () => {
  const records = new RequestRecords();
  add(records, 'write', { span: SPAN });
  add(records, 'refused', { status: 403, failure: 'no' });
  add(records, 'slow', { endedAt: 600 });
  for (let i = 0; i < 20_000; i++) add(records, `read-${i}`);
  for (const auditId of ['write', 'refused', 'slow']) expect(records.find(auditId)).toBeDefined();
  expect(records.newest(2, () => true).map(({ auditId }) => auditId)).toEqual(['slow', 'refused']);
});

it('counts what admission called, also when it goes on after the answer', () => {
  const records = new RequestRecords();
  for (let i = 0; i < 3_000; i++) {
    const admission = new AdmissionRecord();
    const call = { plugin: 'p', name: 'n', configuration: 'c', milliseconds: 1, outcome: 'changed' } as const;
    admission.called({ ...call, patch: 'x'.repeat(10_000) });
    add(records, `write-${i}`, { span: SPAN, admission });
    for (let j = 0; j < 60; j++) admission.called(call);
    expect(admission.calls).toHaveLength(50);
    expect(admission.omittedCalls).toBe(11);
  }
  expect(records.length).toBeLessThan(2_000);
  expect(records.length).toBeGreaterThan(1_000);
});

it('reads back all that it has kept of a request', () => {
  const records = new RequestRecords();
  const user = { name: 'jane', uid: '1', groups: ['devs'], extra: {} };
  const decision = { decision: 'deny', reason: 'no' } as const;
  const query = new URLSearchParams('dryRun=All');
  const flow = { flowSchema: 'f', flowSchemaUid: '1', priorityLevel: 'p', priorityLevelUid: '2' };
  const times = { startedAt: 1.5, authorizingAt: 2.25, authorizedAt: 3.5, waitedMs: 0.5, policyGeneration: 7 };
  const request = { method: 'POST', path: '/api/v1/nodes', query, cause: 4 };
  const admission = records.admissionRecord(times.startedAt);
  admission.plugin = 'second';
  const run = admission.began('admit', ['first', 'second', 'third'], 2.5);
  admission.passed(run, 0, 0.25);
  admission.refused(run, 1, 0.75);
  admission.changed('the volume {}', 'a');
  admission.ended(admission.began('validate', ['first'], 3.5), 4.5);
  const didAdmission = admission.read();
  const known = { user, impersonator: user, decision, flow, failure: 'denied', span: SPAN, admission };
  add(records, 'a', { ...times, ...known, request, info: { verb: 'create' }, status: 403, endedAt: 9.75 });
  expect(records.find('a')).toEqual({
    ...{ ...times, auditId: 'a', endedAt: 9.75, parent: 4, status: 403, span: 1, verb: 'create', method: 'POST' },
    ...{ path: '/api/v1/nodes', query, user: 'jane', identity: user, impersonator: user, decision, flow },
    ...{ failure: 'denied', admission: didAdmission },
  });
});

it('finds the newest of several requests with one audit ID, and lists only what is kept', () => {
  const records = new RequestRecords();
  for (let i = 0; i < 20_000; i++) add(records, `write-${i % 100}`, { span: SPAN, startedAt: i, endedAt: i + 1 });
  expect(records.find('write-7')?.startedAt).toBe(19_907);
  const all = records.newest(Infinity, () => true);
  expect(all).toHaveLength(records.length);
  expect(all.map(({ startedAt }) => startedAt)).toEqual(all.map((_, i) => 19_999 - i));
});

it('reads what admission did', () => {
  const record = new AdmissionRecord();
  const run = record.began('admit', ['first', 'second', 'third'], 2.5);
  record.passed(run, 0, 0.25);
  record.plugin = 'second';
  record.changed('the volume {}', '$&');
  record.changed('spec.priority');
  record.refused(run, 1, 0.75);
  record.ended(record.began('validate', ['first'], 3.5), 4.5);
  expect(record.read()).toEqual({
    runs: [
      {
        ...{ type: 'admit', plugins: ['first', 'second', 'third'], times: [0.25, 0.75, Number.NaN] },
        ...{ startedAt: 2.5, endedAt: undefined, refusedBy: 1 },
      },
      { type: 'validate', plugins: ['first'], times: [Number.NaN], startedAt: 3.5, endedAt: 4.5, refusedBy: undefined },
    ],
    changes: [
      { plugin: 'second', field: 'the volume $&' },
      { plugin: 'second', field: 'spec.priority' },
    ],
    calls: [],
    omittedCalls: 0,
  });
});

it('uses records of admission again, but none whose request timed out, and nothing is left in them', () => {
  const records = new RequestRecords();
  const plugins = Array.from({ length: 16 }, (_, i) => `plugin-${i}`);
  const used = new Map<AdmissionRecord, number>();
  const write = (i: number, more: Partial<AnsweredExchange> = {}): AdmissionRecord => {
    const admission = records.admissionRecord(i);
    expect(admission.read()).toEqual({ runs: [], changes: [], calls: [], omittedCalls: 0 });
    // Some do not fit into the slots.
    const runs = i % 500 === 0 ? 1_000 : i % 7 === 0 ? 3 : i % 3;
    for (let run = 0; run < runs; run++)
      admission.ended(admission.began(run % 2 ? 'validate' : 'admit', plugins, i), i + 1);
    for (let change = 0; change < i % 8; change++)
      if (change % 3 === 0) admission.changed(`field-${i % 50} {}`, String(change));
      else admission.changed(`field-${i % 50}`);
    if (i % 11 === 0)
      admission.called({ plugin: 'p', name: 'n', configuration: 'c', milliseconds: 1, outcome: 'allowed' });
    const expected = admission.read();
    add(records, `write-${i}`, { span: SPAN, admission, startedAt: i, ...more });
    expect(records.find(`write-${i}`)?.admission).toEqual(expected);
    used.set(admission, (used.get(admission) ?? 0) + 1);
    return admission;
  };
  const held = write(1, { expired: true });
  for (let i = 2; i < 10_000; i++) write(i);
  expect(records.find('write-1')).toBeUndefined();
  expect(used.size).toBeLessThan(5_000);
  expect(used.get(held)).toBe(1);
  const all = records.newest(Infinity, () => true);
  expect(all.length).toBeGreaterThan(1_000);
  for (const { auditId, startedAt, admission } of all) {
    expect(auditId).toBe(`write-${startedAt}`);
    for (const run of admission!.runs) expect([run.startedAt, run.endedAt]).toEqual([startedAt, startedAt + 1]);
    expect(admission!.changes.map(({ field }) => field)).toEqual(
      Array.from(
        { length: startedAt % 8 },
        (_, change) => `field-${startedAt % 50}${change % 3 === 0 ? ` ${change}` : ''}`,
      ),
    );
  }
  expect(records.bytes).toBeLessThanOrEqual(6 * 1024 * 1024);
});

it('counts what no other request has of admission, and shares again later', () => {
  const records = new RequestRecords();
  const packed = new Set<AdmissionRecord>();
  const write = (i: number, field: string): void => {
    const admission = records.admissionRecord(i);
    admission.plugin = 'p';
    for (let change = 0; change < 3; change++) admission.changed(`${field} ${change}`);
    add(records, `write-${i}`, { span: SPAN, admission, startedAt: i });
    packed.add(admission);
  };
  for (let i = 0; i < 8_000; i++) write(i, `field-${i}`);
  expect(records.length).toBeLessThan((4 * 1024 * 1024) / 1_000);
  expect(records.find('write-7999')?.admission?.changes).toEqual(
    [0, 1, 2].map((change) => ({ plugin: 'p', field: `field-7999 ${change}` })),
  );
  packed.clear();
  for (let i = 8_000; i < 9_000; i++) write(i, 'field');
  expect(packed.size).toBeLessThan(500);
});
