import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { QuotaMonitor } from './quota-monitor.ts';

const monitor = (directory: string): QuotaMonitor => new QuotaMonitor(directory, 1e9, () => ({ total: 0, inUse: 0 }));

it('keeps the alarm until a commit is durable when a commit failed on a device with free space', () => {
  const quota = monitor(tmpdir());
  expect(quota.alarmed).toBe(false);
  expect(quota.explain(new Error('No space left on device'))).toMatchObject({ code: 'no-space' });
  expect(quota.alarmed).toBe(true);
  // The next put is tried: only a commit can tell whether there is space again.
  expect(() => quota.check()).not.toThrow();
  quota.observe(1);
  expect(quota.alarmed).toBe(false);
});

it('raises no alarm for other failures', () => {
  const quota = monitor(tmpdir());
  expect(quota.explain(new Error('Input/output error'))).toMatchObject({ code: 'unavailable' });
  expect(quota.alarmed).toBe(false);
});
