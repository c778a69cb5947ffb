import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { RoomKeeper } from './room-keeper.ts';

const keeper = (directory: string): RoomKeeper => new RoomKeeper(directory, 1e9, () => ({ total: 0, inUse: 0 }));

it('keeps the alarm until a commit is durable when the device had room and a commit found none', () => {
  const room = keeper(tmpdir());
  expect(room.alarmed).toBe(false);
  expect(room.explain(new Error('No space left on device'))).toMatchObject({ code: 'no-space' });
  expect(room.alarmed).toBe(true);
  // The next write is tried: only that can tell.
  expect(() => room.check()).not.toThrow();
  room.observe(1);
  expect(room.alarmed).toBe(false);
});

it('raises no alarm for other failures', () => {
  const room = keeper(tmpdir());
  expect(room.explain(new Error('Input/output error'))).toMatchObject({ code: 'unavailable' });
  expect(room.alarmed).toBe(false);
});
