import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CustomResourceDefinitionSpec } from '../../api/generated/apiextensions-v1.ts';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import { StageRunner } from './stage-runner.ts';

/** A thread that answers with the numbers of the definitions that it has, and with the one that was sent. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  const has = new Set();
  parentPort.on('message', ({ id, forget, custom, input }) => {
    if (forget !== undefined) return void has.delete(forget);
    if (input.body === 'broken') throw new Error('broken');
    if (custom?.spec) has.add(custom.definition);
    if (custom && !has.has(custom.definition)) return void parentPort.postMessage({ id, lacksDefinition: true });
    parentPort.postMessage({ id, output: { has: [...has], sent: custom?.spec ?? '' } });
  });
`)}`,
);

let ctx: TestContext;
let runner: StageRunner;

beforeEach(() => {
  ctx = createTestContext();
  runner = new StageRunner(ctx, program);
});
afterEach(() => ctx.stop());

const specOf = (group: string): CustomResourceDefinitionSpec => ({ group }) as CustomResourceDefinitionSpec;

const run = (definition?: CustomResourceDefinitionSpec, body = ''): Promise<unknown> =>
  runner.run('checkConfiguration', { body } as never, definition && { definition, version: 'v1' });

it('sends each definition once', async () => {
  const [a, b] = [specOf('a'), specOf('b')];
  expect(await run()).toEqual({ has: [], sent: '' });
  expect(await run(a)).toEqual({ has: [1], sent: '{"group":"a"}' });
  expect(await run(a)).toEqual({ has: [1], sent: '' });
  expect(await run(b)).toEqual({ has: [1, 2], sent: '{"group":"b"}' });
});

it('drops a definition that was changed or deleted', async () => {
  const [before, after] = [specOf('before'), specOf('after')];
  await run(before);
  runner.forget(before);
  expect(await run(after)).toEqual({ has: [2], sent: '{"group":"after"}' });
  // A request that came before the change: the main thread handles it.
  expect(await run(before)).toBeUndefined();
});

it('does not keep a definition that was dropped while it was sent', async () => {
  const gone = specOf('gone');
  const running = run(gone);
  await Promise.resolve();
  runner.forget(gone);
  await running;
  expect(await run()).toEqual({ has: [], sent: '' });
});

it('sends a definition again to a new thread', async () => {
  const a = specOf('a');
  await run(a);
  await expect(run(undefined, 'broken')).rejects.toThrow('broken');
  expect(await run(a)).toEqual({ has: [1], sent: '{"group":"a"}' });
});
