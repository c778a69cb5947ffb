import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GrpcError } from '../../../grpc/index.ts';
import { createTestContext, type TestContext } from '../../../kernel/index.ts';
import { StagedVolumes } from './staged-volumes.ts';
import { stagingPathOf } from './volume-data.ts';

let ctx: TestContext;
let rootDirectory: string;
let staged: StagedVolumes;
let running: Promise<void>;
const calls: string[] = [];
let failures: GrpcError[];

beforeEach(async () => {
  rootDirectory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-staged-'));
  calls.length = 0;
  failures = [];
  start();
});
afterEach(async () => {
  await stop();
  await fs.rm(rootDirectory, { recursive: true, force: true });
});

function start(): void {
  ctx = createTestContext();
  staged = new StagedVolumes(ctx, {
    rootDirectory,
    unstage: async ({ volumeHandle }) => answer(`unstage ${volumeHandle}`),
    serialize: (_, work) => work(),
    onUnstaged: () => calls.push('done'),
  });
  running = staged.run();
}

async function stop(): Promise<void> {
  ctx.stop();
  await running;
}

async function answer(call: string): Promise<void> {
  calls.push(call);
  await Promise.resolve();
  const failure = failures.shift();
  if (failure !== undefined) throw failure;
}

const volume = () => ({
  driverName: 'd',
  volumeHandle: 'vol',
  stagingPath: stagingPathOf(rootDirectory, 'd', 'vol'),
});
const stage = (user: string): Promise<void> => staged.stage(volume(), user, async () => () => answer(`stage ${user}`));
const release = (user: string): void => staged.release(volume().stagingPath, user);
const until = (expected: readonly string[]): Promise<void> =>
  expect
    .poll(async () => {
      await ctx.clock.advance(100);
      return calls;
    })
    .toEqual(expected);

describe('a staged volume', () => {
  it('is staged once, and unstaged when no pod uses it any more', async () => {
    await stage('a');
    await stage('b');
    await stage('a');
    release('a');
    await ctx.clock.advance(10_000);
    expect(calls).toEqual(['stage a']);
    expect([...staged.volumes]).toHaveLength(1);
    release('b');
    await until(['stage a', 'unstage vol', 'done']);
    expect([...staged.volumes]).toEqual([]);
    expect(existsSync(path.dirname(volume().stagingPath))).toBe(false);
  });

  it('that the driver has refused is not unstaged', async () => {
    failures = [new GrpcError('INVALID_ARGUMENT', 'no')];
    await expect(stage('a')).rejects.toThrow('no');
    release('a');
    await ctx.clock.advance(200_000);
    expect(calls).toEqual(['stage a', 'done']);
    expect(existsSync(path.dirname(volume().stagingPath))).toBe(false);
  });

  it('whose staging may go on is unstaged', async () => {
    failures = [new GrpcError('DEADLINE_EXCEEDED', 'slow')];
    await expect(stage('a')).rejects.toThrow('slow');
    release('a');
    await until(['stage a', 'unstage vol', 'done']);
  });

  it('whose secret is missing is neither staged nor unstaged', async () => {
    const missing = staged.stage(volume(), 'a', () => Promise.reject(new Error('secret not found')));
    await expect(missing).rejects.toThrow('secret not found');
    expect([...staged.volumes]).toEqual([]);
  });

  it('that cannot be unstaged is tried again, and staged again for the next pod', async () => {
    await stage('a');
    failures = [new GrpcError('INVALID_ARGUMENT', 'no')];
    release('a');
    await until(['stage a', 'unstage vol']);
    await stage('b');
    await ctx.clock.advance(200_000);
    expect(calls).toEqual(['stage a', 'unstage vol', 'stage b']);
    failures = [new GrpcError('UNAVAILABLE', 'no'), new GrpcError('UNAVAILABLE', 'no')];
    release('b');
    await until(['stage a', 'unstage vol', 'stage b', 'unstage vol', 'unstage vol', 'unstage vol', 'done']);
  });

  it('of an earlier run is unstaged when its pods are gone', async () => {
    await stage('a');
    await stop();
    start();
    await staged.load(new Map());
    await until(['stage a', 'unstage vol', 'done']);
  });

  it('of an earlier run stays when its pod is there, also when it cannot be staged again', async () => {
    await stage('a');
    await stop();
    start();
    await staged.load(new Map([[volume().stagingPath, ['a']]]));
    failures = [new GrpcError('INTERNAL', 'no')];
    await expect(stage('a')).rejects.toThrow('no');
    expect([...staged.volumes]).toHaveLength(1);
    release('a');
    await until(['stage a', 'stage a', 'unstage vol', 'done']);
  });
});
