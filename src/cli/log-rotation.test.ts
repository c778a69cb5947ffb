import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rotateLog } from './log-rotation.ts';

let directory: string;
beforeEach(() => (directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-log-'))));
afterEach(() => fs.rmSync(directory, { recursive: true }));

it('keeps the newest parts, loses no line, and leaves open file descriptors valid', () => {
  const file = path.join(directory, 'k8ts.log');
  const out = fs.openSync(file, 'a+', 0o600);
  const options = { maxBytes: 40, maxBackups: 2 };
  for (let i = 0; i < 30; i++) {
    fs.writeSync(out, `line ${i}\n`);
    rotateLog(file, options);
  }
  fs.closeSync(out);
  expect(fs.readdirSync(directory).sort()).toEqual(['k8ts.log', 'k8ts.log.1', 'k8ts.log.2']);
  const lines = ['k8ts.log.2', 'k8ts.log.1', 'k8ts.log'].flatMap((name) =>
    fs.readFileSync(path.join(directory, name), 'utf8').split('\n').slice(0, -1),
  );
  const first = 30 - lines.length;
  expect(lines).toEqual(Array.from({ length: lines.length }, (_, i) => `line ${first + i}`));
  expect(lines.length).toBeGreaterThan(10);
  expect(fs.statSync(path.join(directory, 'k8ts.log.1')).mode & 0o777).toBe(0o600);
});

it('leaves small and missing files alone', () => {
  const file = path.join(directory, 'k8ts.log');
  expect(rotateLog(file, { maxBytes: 1, maxBackups: 1 })).toBe(false);
  fs.writeFileSync(file, 'x');
  expect(rotateLog(file, { maxBytes: 1, maxBackups: 1 })).toBe(false);
});
