import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '../../kernel/index.ts';
import { readContainerLog, type LogOptions } from './read-container-log.ts';

const line = (n: number): string => `2026-01-01T00:00:00.000000000Z stdout F ${String(n).padStart(100, '0')}\n`;
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => line(from + i)).join('');

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-log-'));
  file = path.join(directory, '0.log');
});
afterEach(() => fs.rm(directory, { recursive: true }));

/** Reads the log, with more lines written after the first part was read. */
async function read(options: Partial<LogOptions>): Promise<number[]> {
  await fs.writeFile(file, lines(0, 2000));
  const source = {
    file,
    clock: createContext({ writeLog: () => {} }).clock,
    signal: new AbortController().signal,
    isRunning: () => Promise.resolve(false),
  };
  let text = '';
  let isFirst = true;
  for await (const part of readContainerLog(source, { follow: false, timestamps: false, ...options })) {
    text += part.toString();
    if (isFirst) await fs.appendFile(file, lines(2000, 2003));
    isFirst = false;
  }
  return text.split('\n').slice(0, -1).map(Number);
}

it.each([
  ['stdout', 'out\n'],
  ['stderr', 'err\n'],
  [undefined, 'out\nerr\n'],
] as const)('only what was written to %s is read', async (stream, expected) => {
  const time = '2026-01-01T00:00:00.000000000Z';
  await fs.writeFile(file, `${time} stdout F out\n${time} stderr F err\n`);
  const source = {
    file,
    clock: createContext({ writeLog: () => {} }).clock,
    signal: new AbortController().signal,
    isRunning: () => Promise.resolve(false),
  };
  let text = '';
  const options = { follow: false, timestamps: false, ...(stream ? { stream } : {}) };
  for await (const part of readContainerLog(source, options)) text += part.toString();
  expect(text).toBe(expected);
});

describe('the last lines of a log that is being written', () => {
  it.each([
    ['are as many as asked for', { tailLines: 1500 }, 500, 1500],
    ['are followed by new ones on request', { tailLines: 1500, follow: true }, 500, 1503],
    ['are all without a number', {}, 0, 2003],
    ['are none', { tailLines: 0 }, undefined, 0],
  ])('%s', async (_name, options, first, count) => {
    const found = await read(options);
    expect([found[0], found.length]).toEqual([first, count]);
  });
});
