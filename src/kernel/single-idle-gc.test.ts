import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { enableSingleIdleGc, singleIdleGcFlag } from './single-idle-gc.ts';

describe('singleIdleGcFlag', () => {
  it('is a flag of this V8, or undefined', () => {
    const flag = singleIdleGcFlag(process.versions.v8);
    const { status, stderr } = spawnSync(process.execPath, [...(flag === undefined ? [] : [flag]), '-e', ''], {
      encoding: 'utf8',
      env: {},
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('is undefined for an unknown V8', () => {
    expect(singleIdleGcFlag('12.4.254.21-node.33')).toBeUndefined();
  });
});

describe('enableSingleIdleGc', () => {
  it('changes no flag when V8 may have begun to collect', () => {
    const before = process.listenerCount('exit');
    enableSingleIdleGc(7);
    expect(process.listenerCount('exit')).toBe(before);
  });

  it('leaves the code cache that is written at exit valid for the next start', () => {
    const folder = mkdtempSync(join(tmpdir(), 'k8ts-compiled-'));
    const file = JSON.stringify(join(folder, 'compiled'));
    const program = `
      import fs from 'node:fs';
      import vm from 'node:vm';
      import { enableSingleIdleGc } from ${JSON.stringify(join(import.meta.dirname, 'single-idle-gc.ts'))};
      const cachedData = fs.existsSync(${file}) ? fs.readFileSync(${file}) : undefined;
      const script = new vm.Script('(function twice(n) { return 2 * n; })(1)', { cachedData });
      process.once('exit', () => fs.writeFileSync(${file}, script.createCachedData()));
      enableSingleIdleGc();
      console.log(String(script.cachedDataRejected));`;
    const start = (): string =>
      spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
        encoding: 'utf8',
      }).stdout.trim();
    try {
      expect([start(), start()]).toEqual(['undefined', 'false']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
