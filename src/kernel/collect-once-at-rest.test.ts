import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { collectOnceFlag } from './collect-once-at-rest.ts';

describe('collectOnceFlag', () => {
  it('is a flag that this V8 knows, or none', () => {
    const flag = collectOnceFlag(process.versions.v8);
    const { status, stderr } = spawnSync(process.execPath, [...(flag === undefined ? [] : [flag]), '-e', ''], { encoding: 'utf8', env: {} });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('is none for a V8 that may not know it', () => {
    expect(collectOnceFlag('12.4.254.21-node.33')).toBeUndefined();
  });
});
