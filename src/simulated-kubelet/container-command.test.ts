import { expect, it } from 'vitest';
import { commandOutcome, waitsForEver } from './container-command.ts';
import { defaultScript } from './pod-script.ts';

it.each([
  [['sleep', '300'], 300_000, 0],
  [['/bin/sleep', '1m', '0.5'], 60_500, 0],
  [['true'], 0, 0],
  [['false'], 0, 1],
  [['sh', '-c', 'exit 3'], 0, 3],
  [['/bin/bash', '-e', '-c', 'echo hello; sleep 2 && false'], 2000, 1],
  [['busybox', 'sh', '-c', 'false || sleep 1'], 1000, 0],
  [['sh', '-c', 'true\nexit 1\nsleep 60'], 0, 1],
  [['sh', '-c', 'false && sleep 60'], 0, 1],
])('%j', (command, runMs, exitCode) => {
  expect(commandOutcome({ command })).toMatchObject({ runMs, exitCode });
});

it.each([
  [[]],
  [['nginx']],
  [['sh', '-c', 'while true; do sleep 1; done']],
  [['sh', '-c', 'if [ -f /x ]; then exit 0; fi; touch /x; exit 1']],
  [['sh', '-c', 'echo $HOME']],
  [['sleep', 'infinity']],
  [['sh', '-c', 'sleep 1', 'name']],
])('%j is not simulated', (command) => {
  expect(commandOutcome({ command })).toBeUndefined();
});

it('reads the arguments, and logs the output of echo', () => {
  expect(commandOutcome({ command: ['sh', '-c'], args: ['echo a b; echo c'] })).toEqual({
    runMs: 0,
    exitCode: 0,
    output: ['a b', 'c'],
  });
});

it.each([
  [{ image: 'registry.k8s.io/pause:3.10.2' }, true],
  [{ image: 'pause' }, true],
  [{ image: 'agnhost:2', args: ['pause'] }, true],
  [{ image: 'agnhost:2', command: ['/agnhost', 'pause'] }, true],
  [{ image: 'busybox', command: ['/bin/sleep', 'infinity'] }, true],
  [{ image: 'registry.k8s.io/pause:3.10.2', command: ['true'] }, false],
  [{ image: 'example.com/pause/work:1' }, false],
  [{ image: 'busybox', command: ['work'] }, false],
])('%j waits until it is stopped: %s, also in a Job', (container, waits) => {
  expect(waitsForEver(container)).toBe(waits);
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u' }];
  const script = defaultScript({ metadata: { ownerReferences }, spec: { containers: [{ name: 'c', ...container }] } });
  expect(script.containers?.['c']?.runFor === undefined).toBe(waits);
});
