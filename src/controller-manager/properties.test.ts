/** Every controller, from random starting states: alone, with a second leader, with failures and late caches, and killed at every write. */
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../kernel/index.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture, type Trouble } from './testing.ts';
import { controllers } from './registry.ts';
import { IDENTITY_PROPERTIES } from './testing-identity-properties.ts';
import { PROPERTIES, type Property, type World } from './testing-properties.ts';
import { SERVED_API_PROPERTIES } from './testing-served-api-properties.ts';
import { STORAGE_PROPERTIES } from './testing-storage-properties.ts';

const everything = process.env['K8TS_EVERYTHING'] === '1';
const ALL: readonly Property[] = [...PROPERTIES, ...STORAGE_PROPERTIES, ...IDENTITY_PROPERTIES, ...SERVED_API_PROPERTIES];
const SEEDS = everything ? [1, 2, 3, 4, 5, 6] : [1];
/** Long enough for every resynchronisation that is not a mere look. */
const AT_REST_MS = 60_000;

async function worldOf(fixture: ControllerFixture, namespace: string, seed: number): Promise<World> {
  await fixture.client.resource('v1/namespaces').create({ metadata: { name: namespace } });
  // The stand-in that gives namespaces their account is the test server's; here it must not matter when it acts.
  await fixture.advance(10);
  return { client: fixture.client, random: new SeededRandom(seed), namespace };
}

async function wrongNow(property: Property, world: World): Promise<string | undefined> {
  await property.meanwhile?.(world);
  return property.wrong(world);
}

async function rightInTheEnd(fixture: ControllerFixture, property: Property, world: World): Promise<void> {
  const { limitMs = 60_000 } = property;
  let found: string | undefined;
  const isRight = async (): Promise<boolean> => (found = await wrongNow(property, world)) === undefined;
  await fixture.until('it is right', isRight, limitMs).catch((error: unknown) => {
    throw new Error(`${found}\n${error instanceof Error ? error.message : String(error)}`);
  });
}

it('there is a property for every controller', () => {
  const covered = new Set(ALL.flatMap((property) => property.controllers));
  expect(controllers.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
});

describe.each(ALL.map((property) => [property.holds, property] as const))('%s', (_, property) => {
  const start = async () => {
    const config = typeof property.config === 'function' ? await property.config() : property.config;
    const fixture = await startFixture({ controllers: property.controllers, ...(config ? { config } : {}), ...(property.countsEvents ? { countsEvents: true } : {}) });
    await property.serve?.(fixture);
    return fixture;
  };

  it('from wherever it starts, and nothing is written after that', async () => {
    const fixture = await start();
    try {
      for (const seed of SEEDS) {
        await fixture.stopControllers();
        const world = await worldOf(fixture, `alone-${seed}`, seed);
        await property.arrange(world);
        await fixture.start();
        await rightInTheEnd(fixture, property, world);
        if (property.limitMs !== undefined) continue;
        await fixture.advance(5_000);
        const before = fixture.writes.length;
        await fixture.advance(AT_REST_MS);
        expect(fixture.writes.slice(before)).toEqual([]);
      }
    } finally {
      await fixture.stop();
    }
  }, 120_000);

  it.runIf(everything)('with two leaders', async () => {
    const fixture = await start();
    try {
      for (const seed of SEEDS) {
        await fixture.stopControllers();
        const world = await worldOf(fixture, `two-${seed}`, seed + 100);
        await fixture.start();
        await fixture.startBeside();
        await property.arrange(world);
        await rightInTheEnd(fixture, property, world);
      }
    } finally {
      await fixture.stop();
    }
  }, 120_000);

  it.runIf(everything).each<[string, (seed: number) => Trouble]>([
    ['while a third of its writes fail', (seed) => ({ rate: 0.33, random: new SeededRandom(seed) })],
    ['while half of its writes meet conflicts that no event follows', (seed) => {
      const random = new SeededRandom(seed);
      return { refuses: () => random.next() < 0.5 };
    }],
    ['while its caches lag behind', (seed) => ({ lateByMs: 2_000, random: new SeededRandom(seed) })],
  ])('%s', async (trouble, of) => {
    const fixture = await start();
    try {
      for (const seed of SEEDS) {
        await fixture.stopControllers();
        const world = await worldOf(fixture, `${trouble.split(' ').at(-1)}-${seed}`, seed + 200);
        await fixture.start(of(seed));
        await property.arrange(world);
        await rightInTheEnd(fixture, { ...property, limitMs: 5 * (property.limitMs ?? 60_000) }, world);
      }
    } finally {
      await fixture.stop();
    }
  }, 300_000);

  it.runIf(everything)('killed at every write', async () => {
    const fixture = await start();
    const worlds = new Map<string, World>();
    try {
      await convergesWhenKilledAtEveryWrite({
        fixture,
        async arrange(name) {
          const world = await worldOf(fixture, name, 7);
          worlds.set(name, world);
          await property.arrange(world);
        },
        converged: async (name) => (await wrongNow(property, worlds.get(name)!)) === undefined,
        clear: async (name) => property.clear?.(worlds.get(name)!),
        limitMs: property.limitMs ?? 60_000,
      });
    } finally {
      await fixture.stop();
    }
  }, 300_000);
});
