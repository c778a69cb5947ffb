/** Which conversations a run has: those of the areas, mixed, until the requests are spent. */
import { areas } from './areas/index.ts';
import type { Job } from './compare.ts';
import type { Area } from './conversation.ts';

export interface PlanOptions {
  readonly seed: string;
  /** By name; all when it is empty. */
  readonly areas: readonly string[];
  readonly kinds: readonly string[];
  readonly requests: number;
  /** The kinds and versions that are off by default, instead of the others. */
  readonly everything?: boolean;
  /** Whether controllers and the scheduler run in both clusters. */
  readonly controllers?: boolean;
  /** `AREA/INDEX`: only this conversation. */
  readonly only?: string;
}

export function planJobs(options: PlanOptions): Job[] {
  if (options.only !== undefined) return [oneJob(options.only, options)];
  const names = options.areas.length > 0 ? options.areas : Object.keys(areas);
  return interleave(
    names.map((name): [string, Area] => [name, areaOf(name)]),
    options,
  );
}

function oneJob(only: string, { seed, kinds, everything = false, controllers = false }: PlanOptions): Job {
  const [area = '', wanted] = only.split('/');
  let index = 0;
  for (const conversation of areaOf(area).conversations({ seed: `${seed}/${area}`, kinds, everything, controllers })) {
    if (index === Number(wanted)) return { area, index, conversation };
    index++;
  }
  throw new Error(`the area "${area}" has no conversation ${wanted}`);
}

function areaOf(name: string): Area {
  const area = (areas as Readonly<Record<string, Area | undefined>>)[name];
  if (!area) throw new Error(`there is no area "${name}"; there are ${Object.keys(areas).join(', ')}`);
  return area;
}

/** Each turn goes to the area that has had the least for its weight; one that has no more leaves its part. */
function interleave(
  chosen: readonly (readonly [string, Area])[],
  { seed, kinds, requests, everything = false, controllers = false }: PlanOptions,
): Job[] {
  const open = chosen.map(([name, area]) => ({
    name,
    area,
    spent: 0,
    index: 0,
    source: area.conversations({ seed: `${seed}/${name}`, kinds, everything, controllers })[Symbol.iterator](),
  }));
  const jobs: Job[] = [];
  for (let planned = 0; planned < requests && open.length > 0;) {
    const turn = open.reduce((least, one) =>
      one.spent / one.area.weight < least.spent / least.area.weight ? one : least,
    );
    const next = turn.source.next();
    if (next.done) {
      open.splice(open.indexOf(turn), 1);
      continue;
    }
    const size = next.value.steps.filter((step) => !step.setup).length;
    jobs.push({ area: turn.name, index: turn.index++, conversation: next.value });
    turn.spent += Math.max(size, 1);
    planned += Math.max(size, 1);
  }
  return jobs;
}
