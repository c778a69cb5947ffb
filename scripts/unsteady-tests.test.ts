import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unsteadyFiles, unsteadyReason } from './unsteady-tests.mjs';

describe('unsteady tests', () => {
  it('are the listed ones, with a reason', () => {
    expect(unsteadyReason('test/attacks/time.test.ts')).toContain('processor time');
    expect(unsteadyReason('src/kube-proxy/traffic.test.ts')).toContain('real time');
  });

  it.each(unsteadyFiles)('%s exists', (file) => {
    expect(existsSync(join(import.meta.dirname, '..', file))).toBe(true);
  });

  it.each(['src/machinery/patch/json-patch.test.ts', 'src/dns/serve.test.ts', 'scripts/build.test.ts'])(
    'are not %s',
    (file) => expect(unsteadyReason(file)).toBeUndefined(),
  );
});
