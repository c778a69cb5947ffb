/** Every controller, from random starting states: alone, with a second leader, with failures and late caches, and killed at every write. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorMessage } from '../base/index.ts';
import { SeededRandom, type Random } from '../kernel/index.ts';
import { controllers } from './registry.ts';
import { GATED_PROPERTIES } from './testing/gated-properties.ts';
import { IDENTITY_PROPERTIES } from './testing/identity-properties.ts';
import {
  convergesWhenKilled,
  convergesWhenKilledAtEveryWrite,
  startFixture,
  type ControllerFixture,
  type KillScenario,
  type Trouble,
} from './testing/index.ts';
import { PROPERTIES, type Property, type World } from './testing/properties.ts';
import { SERVED_API_PROPERTIES } from './testing/served-api-properties.ts';
import { STORAGE_PROPERTIES } from './testing/storage-properties.ts';

const everything = process.env['K8TS_EVERYTHING'] === '1';
const ALL: readonly Property[] = [
  ...PROPERTIES,
  ...STORAGE_PROPERTIES,
  ...IDENTITY_PROPERTIES,
  ...SERVED_API_PROPERTIES,
  ...GATED_PROPERTIES,
];
const SEEDS = everything ? [1, 2, 3, 4, 5, 6] : [1, 2, 3];
/** Several controllers at once with writes that fail are in `faults.test.ts`: in the short form that is enough of them. */
const TROUBLES: [string, (random: Random) => Trouble][] = [
  ...(everything
    ? [
        ['while a third of its writes fail', (random) => ({ rate: 0.33, random })] satisfies [
          string,
          (random: Random) => Trouble,
        ],
      ]
    : []),
  [
    'while half of its writes meet conflicts that no event follows',
    (random) => ({ refuses: () => random.next() < 0.5 }),
  ],
  ['while its caches lag behind', (random) => ({ lateByMs: 2_000, random })],
];
/** Days of virtual time, with all that servers and clients do in them, take a second of real time: not in every round of the short form. */
const isQuick = ({ limitMs = 0 }: Property): boolean => limitMs < 24 * 3600_000;
/** The rounds with trouble take most of the time: in the short form each property has one of them, in turn. */
const TROUBLED_ROUNDS = TROUBLES.length + 1;
const hasRound = (property: Property, round: number): boolean =>
  everything || (isQuick(property) && ALL.indexOf(property) % TROUBLED_ROUNDS === round);
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
  await fixture.eventually('it is right', isRight, limitMs).catch((error: unknown) => {
    throw new Error(`${found}\n${errorMessage(error)}`);
  });
}

it('there is a property for every controller', () => {
  const covered = new Set(ALL.flatMap((property) => property.controllers));
  expect(controllers.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
});

const titleOf = (property: Property): string =>
  everything || isQuick(property) ? property.holds : `${property.holds} (killed: long form)`;

describe.each(ALL.map((property) => [titleOf(property), property] as const))('%s', (_, property) => {
  let fixture: ControllerFixture;
  beforeAll(async () => {
    const config = typeof property.config === 'function' ? await property.config() : property.config;
    fixture = await startFixture({
      controllers: property.controllers,
      ...(config ? { config } : {}),
      ...(property.server ? { server: property.server } : {}),
      ...(property.countsEvents ? { countsEvents: true } : {}),
    });
    await property.serve?.(fixture);
  });
  afterAll(() => fixture.stop());

  /** Random worlds, each on its own; in the short form as many as it takes until there was something to do in one. */
  const inWorlds = async (
    kind: string,
    round: (at: { namespace: string; seed: number }) => Promise<void>,
  ): Promise<void> => {
    let written = 0;
    for (const seed of SEEDS) {
      await fixture.stopControllers();
      await round({ namespace: `${kind}-${seed}`, seed });
      written += fixture.writes.length;
      if (!everything && written > 0) break;
    }
    expect(written, 'writes').toBeGreaterThan(0);
  };

  it(
    'from any start, and nothing is written after that',
    () =>
      inWorlds('alone', async ({ namespace, seed }) => {
        const world = await worldOf(fixture, namespace, seed);
        await property.arrange(world);
        await fixture.start();
        await rightInTheEnd(fixture, property, world);
        if (property.limitMs !== undefined) return;
        await fixture.advance(5_000);
        const before = fixture.writes.length;
        await fixture.advance(AT_REST_MS);
        expect(fixture.writes.slice(before)).toEqual([]);
      }),
    120_000,
  );

  it.each(hasRound(property, 0) ? ['with two leaders'] : [])(
    '%s',
    () =>
      inWorlds('two', async ({ namespace, seed }) => {
        const world = await worldOf(fixture, namespace, seed + 100);
        await fixture.start();
        await fixture.startBeside();
        await property.arrange(world);
        await rightInTheEnd(fixture, property, world);
      }),
    120_000,
  );

  it.each(TROUBLES.filter((_, i) => hasRound(property, i + 1)))(
    '%s',
    (trouble, of) =>
      inWorlds(trouble.split(' ').at(-1)!, async ({ namespace, seed }) => {
        const world = await worldOf(fixture, namespace, seed + 200);
        await fixture.start(of(new SeededRandom(seed)));
        await property.arrange(world);
        await rightInTheEnd(fixture, { ...property, limitMs: 5 * (property.limitMs ?? 60_000) }, world);
      }),
    300_000,
  );

  it.runIf(everything || isQuick(property))(
    everything ? 'killed at every write' : 'killed before a write and after one',
    async () => {
      const worlds = new Map<string, World>();
      const scenario: KillScenario = {
        fixture,
        async arrange(name) {
          const world = await worldOf(fixture, name, 7);
          worlds.set(name, world);
          await property.arrange(world);
        },
        converged: async (name) => (await wrongNow(property, worlds.get(name)!)) === undefined,
        clear: async (name) => property.clear?.(worlds.get(name)!),
        limitMs: property.limitMs ?? 60_000,
      };
      if (everything) return expect(await convergesWhenKilledAtEveryWrite(scenario), 'kills').toBeGreaterThan(0);
      expect(await convergesWhenKilled(scenario, { write: 0, when: 'before' }), 'killed').toBe(true);
      await convergesWhenKilled(scenario, { write: 1, when: 'after' });
    },
    300_000,
  );
});
