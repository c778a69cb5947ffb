import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/index.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../testing/index.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';
let server: TestServer;

interface Page {
  names: string[];
  continueToken: string;
  remaining: number | undefined;
  resourceVersion: string;
}

beforeAll(async () => {
  server = await startTestServer();
  for (let i = 0; i < 25; i++) await create(`c-${String(i).padStart(2, '0')}`, i % 2 === 0 ? { even: 'true' } : {});
});
afterAll(() => server.stop());

const create = (name: string, labels: Record<string, string> = {}): Promise<TestAnswer> =>
  server.call('POST', COLLECTION, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } } });

async function page(query: string): Promise<Page> {
  const { status, body } = await server.call('GET', `${COLLECTION}?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  const metadata = body.metadata as { continue?: string; remainingItemCount?: number; resourceVersion: string };
  return {
    names: (body['items'] as { metadata: { name: string } }[]).map((item) => item.metadata.name),
    continueToken: metadata.continue ?? '',
    remaining: metadata.remainingItemCount,
    resourceVersion: metadata.resourceVersion,
  };
}

async function allPages(
  query: string,
  limit: number,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Page[]> {
  const pages = [await page(`${query}&limit=${limit}`)];
  while (pages.at(-1)!.continueToken !== '') {
    await between();
    pages.push(await page(`${query}&limit=${limit}&continue=${pages.at(-1)!.continueToken}`));
  }
  return pages;
}

describe('list', () => {
  it.each([1, 7, 24, 25, 26, 100])('returns the same in pages of %i as at once', async (limit) => {
    const whole = await page('');
    const pages = await allPages('', limit);
    expect(pages.flatMap(({ names }) => names)).toEqual(whole.names);
    expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
    let left = whole.names.length;
    for (const { names, remaining } of pages) {
      left -= names.length;
      expect(remaining ?? 0).toBe(left);
    }
  });

  it('pages through selected objects, without remainingItemCount', async () => {
    const whole = await page('labelSelector=even');
    const pages = await allPages('labelSelector=even', 4);
    expect(whole.names).toHaveLength(13);
    expect(pages.flatMap(({ names }) => names)).toEqual(whole.names);
    expect(pages.map(({ remaining }) => remaining)).toEqual(pages.map(() => undefined));
  });

  it('returns a continue token even if the selector matches no later object', async () => {
    expect((await page('labelSelector=even&limit=13')).continueToken).toBe('');
    expect((await page('fieldSelector=metadata.name%3Dc-03&limit=1')).continueToken, 'of one by its name').toBe('');
    const [first, second] = await allPages('labelSelector=!even', 12);
    expect([first!.names.length, first!.continueToken === '', second!.names]).toEqual([12, false, []]);
  });

  it('returns every page at the revision of the first, despite later writes', async () => {
    const before = await page('');
    const random = new SeededRandom('pages');
    let made = 0;
    const pages = await allPages('', 3, async () => {
      await create(`d-${made++}`);
      await server.call('DELETE', `${COLLECTION}/c-${String(random.integer(25)).padStart(2, '0')}`);
    });
    expect(pages.flatMap(({ names }) => names)).toEqual(before.names);
  });

  it('lists at an exact revision of the past', async () => {
    const before = await page('');
    await create('later');
    expect((await page(`resourceVersion=${before.resourceVersion}&resourceVersionMatch=Exact`)).names).toEqual(
      before.names,
    );
    expect((await page(`resourceVersion=${before.resourceVersion}&resourceVersionMatch=NotOlderThan`)).names).toContain(
      'later',
    );
  });

  it('answers an expired token with 410 and an inconsistent continuation', async () => {
    const whole = await page('');
    const first = await page('limit=4');
    const { store } = server.pipeline.chain.backend;
    await create('zz-after-the-first-page');
    await store.compact(await store.revision());
    const { status, body } = await server.call('GET', `${COLLECTION}?limit=4&continue=${first.continueToken}`);
    expect({ status, reason: body['reason'] }).toEqual({ status: 410, reason: 'Expired' });
    const token = (body.metadata as { continue?: string }).continue!;
    const rest = await page(`continue=${token}`);
    expect([...first.names, ...rest.names]).toEqual([...whole.names, 'zz-after-the-first-page']);
  });

  it.each([
    ['a token of nobody', 'continue=abc'],
    [
      'a token and a version',
      'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAsInN0YXJ0IjoiYVx1MDAwMCJ9&resourceVersion=5',
    ],
    ['a version that is no number', 'resourceVersion=x'],
  ])('refuses %s', async (_name, query) => {
    expect((await server.call('GET', `${COLLECTION}?${query}`)).status).toBe(400);
  });
});

describe('the source of events', () => {
  const EVENTS = '/api/v1/namespaces/default/events';
  const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
  const named = async (source: string): Promise<string[]> => {
    const { body } = await server.call('GET', `${EVENTS}?fieldSelector=source%3D${source}`);
    return (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  };

  it('falls back to the reporting component', async () => {
    const reporting = {
      reportingComponent: 'reporter',
      reportingInstance: 'i',
      action: 'a',
      reason: 'R',
      type: 'Normal',
    };
    const eventTime = '2026-01-01T00:00:00.000000Z';
    const both = { source: { component: 'source' }, reportingComponent: 'reporter' };
    for (const [name, more] of Object.entries({ own: both, other: { ...reporting, eventTime } })) {
      const { status } = await server.call('POST', EVENTS, { body: { metadata: { name }, involvedObject, ...more } });
      expect(status).toBe(201);
    }
    expect([await named('source'), await named('reporter')]).toEqual([['own'], ['other']]);
  });
});

it('a continue token expires when history is compacted, and the error has a new token', async () => {
  const first = await page('limit=4');
  await create('later');
  for (let i = 0; i < 3; i++) await server.ctx.clock.advance(300_000);
  const { status, body } = await server.call('GET', `${COLLECTION}?limit=4&continue=${first.continueToken}`);
  expect([status, body['reason']]).toEqual([410, 'Expired']);
  const { continue: token } = body.metadata as { continue?: string };
  expect((await page(`continue=${token}`)).names).toContain('later');
});

it('a continue token expires also when old revisions are kept for their history, which can still be read', async () => {
  const kept = await startTestServer({ historyMs: 3_600_000 });
  for (const name of ['a', 'b', 'c'])
    await kept.call('POST', COLLECTION, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } } });
  const { body: list } = await kept.call('GET', `${COLLECTION}?limit=1`);
  const { continue: token, resourceVersion } = list.metadata as { continue?: string; resourceVersion: string };
  expect((await kept.call('GET', `${COLLECTION}?limit=1&continue=${token}`)).status).toBe(200);
  await kept.call('DELETE', `${COLLECTION}/b`);
  for (let i = 0; i < 2; i++) await kept.ctx.clock.advance(300_000);
  const { status, body } = await kept.call('GET', `${COLLECTION}?limit=1&continue=${token}`);
  expect([status, body['reason']]).toEqual([410, 'Expired']);
  const past = await kept.call('GET', `${COLLECTION}?resourceVersionMatch=Exact&resourceVersion=${resourceVersion}`);
  expect((past.body['items'] as { metadata: { name: string } }[]).map((item) => item.metadata.name)).toEqual([
    'a',
    'b',
    'c',
  ]);
  await kept.stop();
});
