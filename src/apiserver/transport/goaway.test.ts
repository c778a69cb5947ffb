import { expect, it } from 'vitest';
import type { ApiRequest } from '../request/request.ts';
import { withGoaway } from './goaway.ts';
import type { Handler } from './transport.ts';

const handler: Handler = () => Promise.resolve({ status: 200, headers: {} });

it('leaves the connection of some requests on HTTP/2, and serves them all', async () => {
  const draws = [0.5, 0.019, 0.02, 0];
  const wrapped = withGoaway(handler, 0.02, { next: () => draws.shift()! });
  const left: number[] = [];
  for (let i = 0; i < 4; i++) {
    const request = { leaveConnection: () => void left.push(i) } as unknown as ApiRequest;
    expect(await wrapped(request)).toMatchObject({ status: 200 });
  }
  expect(left).toEqual([1, 3]);
});

it('draws nothing for HTTP/1.1', async () => {
  const wrapped = withGoaway(handler, 0.02, { next: () => expect.unreachable() });
  expect(await wrapped({} as ApiRequest)).toMatchObject({ status: 200 });
});

it('costs nothing when it is off', () => {
  expect(withGoaway(handler, 0, { next: () => 0 })).toBe(handler);
});
