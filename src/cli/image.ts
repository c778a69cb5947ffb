/** `k8ts image load|pull|list`: the images of the nodes that run containers. */
import fs from 'node:fs';
import path from 'node:path';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { nearest } from './nearest.ts';
import { print, table } from './output.ts';

export const flags = { ...dataDirFlag, ...outputFlag } as const satisfies FlagTable;
export const verbs = ['load', 'pull', 'list'] as const;

const USAGE = `k8ts image: the images of the nodes

  k8ts image list
  k8ts image pull REFERENCE
  k8ts image load FILE.tar`;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags, { positional: true });
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [verb = 'list', argument] = positional;
  if (!(verbs as readonly string[]).includes(verb)) {
    const near = nearest(verb, verbs);
    throw new UsageError(
      `unknown command "image ${verb}"; ${near ? `did you mean image ${near}?` : 'use image load, pull or list'}`,
    );
  }
  if (verb !== 'list' && argument === undefined)
    throw new UsageError(`usage: k8ts image ${verb} ${verb === 'load' ? 'FILE.tar' : 'REFERENCE'}`);
  const cluster = runningCluster(parsed);
  if (verb === 'list') {
    const { images } = await cluster.call<{ images: { id: string; tags: string[]; bytes: number }[] }>(
      'GET',
      '/images',
    );
    print(values.output, images, (all) =>
      table([
        ['IMAGE', 'ID', 'SIZE'],
        ...all.map(({ id, tags, bytes }) => [tags[0] ?? '<none>', id.slice(0, 19), `${(bytes / 1e6).toFixed(1)} MB`]),
      ]),
    );
    return 0;
  }
  /** The cluster's process may have been started in another directory. */
  const what = verb === 'load' ? path.resolve(argument!) : argument;
  if (verb === 'load' && !fs.existsSync(what!))
    throw new CommandError(`there is no file ${what}; "docker save -o FILE.tar IMAGE" writes one`);
  const done = await cluster.call<{ image: string }>('POST', `/images/${verb}`, { argument: what });
  if (!done.image) throw new CommandError(`the image could not be ${verb}ed`);
  print(values.output, done, ({ image }) => image);
  return 0;
}
