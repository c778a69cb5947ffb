import { describe, expect, it } from 'vitest';
import { unsteadyReason } from './unsteady-tests.mjs';

describe('unsteady tests', () => {
  it('are those of the list, with a reason', () => {
    expect(unsteadyReason('test/attacks/time.test.ts')).toContain('processor time');
    expect(unsteadyReason('src/dns/serve.test.ts')).toContain('real time');
  });

  it.each(['src/machinery/patch/json-patch.test.ts', 'src/scheduler/scheduler.test.ts', 'scripts/build.test.ts'])(
    'are not %s',
    (file) => expect(unsteadyReason(file)).toBeUndefined(),
  );
});
