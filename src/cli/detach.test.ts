import { expect, it } from 'vitest';
import { causeIn, causeOfSignal } from './detach.ts';

it.each<[string, string, string | undefined]>([
  ['what the program said', 'I1116 started\nk8ts up: port 6443 is in use\n', 'port 6443 is in use'],
  [
    'what it said, though others went on to say something',
    'k8ts up: the disk is full\nE1116 a watch ended\n',
    'the disk is full',
  ],
  [
    'the error that nobody caught',
    '/dist/k8ts.cjs:12\nthrow new Error()\n\nTypeError: x is not a function\n    at y (z.js:1:2)\n\nNode.js v20.20.2\n',
    'TypeError: x is not a function',
  ],
  [
    'an error with a code',
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'lmdb'\n    at x\nNode.js v20.20.2\n",
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'lmdb'",
  ],
  [
    'memory that ran out',
    '<--- Last few GCs --->\nFATAL ERROR: Reached heap limit Allocation failed\n 1: 0xb0\n',
    'FATAL ERROR: Reached heap limit Allocation failed',
  ],
  ['nothing', '', undefined],
])('%s', (_, log, cause) => expect(causeIn(log)).toBe(cause));

it('a process that the system killed: possible causes', () => {
  expect(causeOfSignal('SIGBUS', 2 ** 40)).toMatch(/ended with SIGBUS; the disk of the data directory may be full/);
  expect(causeOfSignal('SIGABRT', 4096)).toMatch(/ended with SIGABRT; the disk of the data directory may be full/);
  expect(causeOfSignal('SIGSEGV', 2 ** 40)).toMatch(/ended with SIGSEGV; if its data is damaged/);
});
