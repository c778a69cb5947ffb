import { expect, it } from 'vitest';
import { PodLog } from './pod-log.ts';

it('a restarted container has a log of its own, and its previous one for as long as there is no newer', () => {
  const log = new PodLog();
  const followed: (string | undefined)[] = [];
  log.write('first\n', 1);
  log.follow((line) => followed.push(line?.text));
  log.restart();
  log.write('second', 2);
  expect(log.lines).toEqual([{ at: 2, text: 'second' }]);
  expect(log.previous).toEqual([{ at: 1, text: 'first' }]);
  expect(followed).toEqual([undefined]);
  log.restart();
  expect(log.previous).toEqual([{ at: 2, text: 'second' }]);
});
