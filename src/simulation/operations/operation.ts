/** Something that a client of a world does: its arguments are drawn from the seed, then it is done through the API. */
import type { Client } from '../../client/index.ts';
import type { Random } from '../../kernel/index.ts';

type Arguments = Readonly<Record<string, number | string | boolean>>;

export interface Operation<A extends Arguments = Arguments> {
  /** How often it is drawn, compared with others; default 1. */
  readonly weight?: number;
  readonly draw: (random: Random) => A;
  /** Errors of the API, such as NotFound, are answers: the world goes on. */
  readonly run: (client: Client, args: A) => Promise<unknown>;
}

/** Keeps the type of the arguments between `draw` and `run`. */
export const operation = <A extends Arguments>(definition: Operation<A>): Operation =>
  definition as unknown as Operation;

/** Few names, so that clients meet at the same objects. */
export const name = (random: Random, prefix: string, count = 3): string => `${prefix}-${random.integer(count)}`;

const NAMESPACES = ['default', 'default', 'team-0', 'team-1'];
export const namespace = (random: Random): string => NAMESPACES[random.integer(NAMESPACES.length)]!;

/** Mostly small. */
export const replicas = (random: Random): number => random.integer(5);

export const container = (image: string, cpu = '100m'): { name: string; image: string; resources: object } => ({
  name: 'main',
  image,
  resources: { requests: { cpu } },
});
