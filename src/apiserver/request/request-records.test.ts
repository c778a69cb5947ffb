import { expect, it } from 'vitest';
import { AdmissionRecord } from './admission-record.ts';
import { RequestRecords, type RequestRecord } from './request-records.ts';

const record = (auditId: string, more: Partial<RequestRecord> = {}): RequestRecord => ({
  auditId,
  startedAt: 0,
  endedAt: 1,
  parent: 0,
  verb: 'get',
  path: '/api/v1/pods',
  user: 'jane',
  status: 200,
  method: 'GET',
  query: undefined,
  identity: undefined,
  impersonator: undefined,
  decision: undefined,
  policyGeneration: 1,
  authorizingAt: 0,
  authorizedAt: 0,
  flow: undefined,
  waitedMs: 0,
  failure: undefined,
  span: 0,
  admission: undefined,
  ...more,
});

it('keeps the newest requests within its bytes', () => {
  const records = new RequestRecords();
  for (let i = 0; i < 100_000; i++) records.add(record(`read-${i}`));
  expect(records.find('read-99999')).toBeDefined();
  expect(records.find('read-0')).toBeUndefined();
  expect(records.length).toBeLessThan(5_000);
  expect(records.bytes).toBeLessThanOrEqual(2 * 1024 * 1024);
});

it('keeps writes, refusals and slow requests apart from plain reads', () => {
  const records = new RequestRecords();
  records.add(record('write', { span: 1 }));
  records.add(record('refused', { status: 403, failure: 'no' }));
  records.add(record('slow', { endedAt: 600 }));
  for (let i = 0; i < 20_000; i++) records.add(record(`read-${i}`));
  for (const auditId of ['write', 'refused', 'slow']) expect(records.find(auditId)).toBeDefined();
  expect(records.newest(2, () => true).map(({ auditId }) => auditId)).toEqual(['slow', 'refused']);
});

it('counts what admission called, also when it goes on after the answer', () => {
  const records = new RequestRecords();
  for (let i = 0; i < 3_000; i++) {
    const admission = new AdmissionRecord();
    const call = { plugin: 'p', name: 'n', configuration: 'c', milliseconds: 1, outcome: 'changed' } as const;
    admission.called({ ...call, patch: 'x'.repeat(10_000) });
    records.add(record(`write-${i}`, { span: 1, admission }));
    for (let j = 0; j < 60; j++) admission.called(call);
    expect(admission.calls).toHaveLength(50);
    expect(admission.omittedCalls).toBe(11);
  }
  expect(records.length).toBeLessThan(2_000);
  expect(records.length).toBeGreaterThan(1_000);
});
