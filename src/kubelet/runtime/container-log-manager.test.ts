import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestContext, RealClock, type TestContext } from '../../kernel/index.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from '../configuration/kubelet-configuration.ts';
import { FakeRuntime } from '../testing/fake-runtime.ts';
import { rotateContainerLogs } from './container-log-manager.ts';

let ctx: TestContext;
let runtime: FakeRuntime;
let podLogsDir: string;
let log: string;
let containerId: string;
const reopened: string[] = [];

beforeEach(async () => {
  ctx = createTestContext();
  runtime = new FakeRuntime(ctx.clock);
  podLogsDir = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-logs-'));
  reopened.length = 0;
  const logDirectory = path.join(podLogsDir, 'ns_p_u');
  const { podSandboxId = '' } = await runtime.runtime.runPodSandbox({
    config: { metadata: { name: 'p' }, logDirectory },
  });
  containerId =
    (
      await runtime.runtime.createContainer({
        podSandboxId,
        config: { metadata: { name: 'main' }, logPath: 'main/0.log' },
      })
    ).containerId ?? '';
  await runtime.runtime.startContainer({ containerId });
  log = (await runtime.runtime.containerStatus({ containerId })).status?.logPath ?? '';
  await fs.mkdir(path.dirname(log), { recursive: true });
  runtime.runtime.reopenContainerLog = async ({ containerId: id = '' }) => {
    reopened.push(id);
    await fs.writeFile(log, '');
    return {};
  };
});
afterEach(() => fs.rm(podLogsDir, { recursive: true, force: true }));

const running = (): { id: string; logPath: string }[] => [{ id: containerId, logPath: log }];
const names = async (): Promise<string[]> => (await fs.readdir(path.dirname(log))).toSorted();

it('logs that are too large are put aside, packed, and at last removed', async () => {
  const done = rotateContainerLogs(ctx, {
    runtime,
    running,
    config: {
      ...DEFAULT_KUBELET_CONFIGURATION,
      podLogsDir,
      containerLogMaxSize: '100',
      containerLogMaxFiles: 3,
      containerLogMonitorInterval: 10_000,
    },
  });
  const real = new RealClock();
  const write = async (text: string): Promise<void> => {
    await fs.writeFile(log, text.repeat(60));
    const before = reopened.length;
    await ctx.clock.advance(10_000);
    for (let i = 0; i < 100 && (text.length > 1 ? reopened.length === before : i < 5); i++) await real.sleep(5);
  };
  await write('a');
  expect(await names()).toEqual(['0.log']);
  await write('1\n');
  expect(await names()).toEqual(['0.log', expect.stringMatching(/^0\.log\.\d{8}-\d{6}$/) as string]);
  await write('2\n');
  await write('3\n');
  const kept = await names();
  expect(kept).toEqual([
    '0.log',
    expect.stringMatching(/^0\.log\.\d{8}-\d{6}\.gz$/) as string,
    expect.stringMatching(/^0\.log\.\d{8}-\d{6}$/) as string,
  ]);
  const packed = kept.find((name) => name.endsWith('.gz')) ?? '';
  expect(gunzipSync(await fs.readFile(path.join(path.dirname(log), packed))).toString()).toBe('2\n'.repeat(60));
  ctx.stop();
  await done;
});

it('a log that cannot be reopened keeps its name', async () => {
  runtime.runtime.reopenContainerLog = () => Promise.reject(new Error('no'));
  const done = rotateContainerLogs(ctx, {
    runtime,
    running,
    config: { ...DEFAULT_KUBELET_CONFIGURATION, podLogsDir, containerLogMaxSize: '10' },
  });
  await fs.writeFile(log, 'x'.repeat(20));
  await ctx.clock.advance(10_000);
  const real = new RealClock();
  for (let i = 0; i < 20; i++) await real.sleep(5);
  expect(await names()).toEqual(['0.log']);
  ctx.stop();
  await done;
});
