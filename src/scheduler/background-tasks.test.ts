import { expect, it } from 'vitest';
import { BackgroundTasks } from './background-tasks.ts';

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve = (): void => {};
  let reject = (_error: Error): void => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

it('ends when it is stopped and everything under way has ended', async () => {
  const stop = new AbortController();
  const tasks = new BackgroundTasks(stop.signal);
  const work = deferred();
  let ended = false;
  const running = tasks.run().then(() => (ended = true));
  tasks.start(() => work.promise);
  expect(tasks.count).toBe(1);
  stop.abort();
  await Promise.resolve();
  expect(ended).toBe(false);
  work.resolve();
  await running;
  expect(tasks.count).toBe(0);
});

it('starts no task after it is stopped', () => {
  const stop = new AbortController();
  const tasks = new BackgroundTasks(stop.signal);
  stop.abort();
  tasks.start(() => Promise.reject(new Error('must not run')));
  expect(tasks.count).toBe(0);
});

it('resolves when the next task ends', async () => {
  const tasks = new BackgroundTasks(new AbortController().signal);
  await tasks.next();
  const [first, second] = [deferred(), deferred()];
  tasks.start(() => first.promise);
  tasks.start(() => second.promise);
  const next = tasks.next();
  second.resolve();
  await next;
  expect(tasks.count).toBe(1);
  first.resolve();
});

it('fails with the first unhandled error', async () => {
  const tasks = new BackgroundTasks(new AbortController().signal);
  const work = deferred();
  const running = tasks.run();
  tasks.start(() => work.promise);
  work.reject(new Error('broken'));
  await expect(running).rejects.toThrow('broken');
});
