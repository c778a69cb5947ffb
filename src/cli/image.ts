/** `k8ts image build|load|pull|list`: the images of the nodes that run containers. */
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { flagsHelp, type FlagTable, type FlagValues, parseFlags, UsageError } from '../flags/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster, type RunningCluster } from './control-client.ts';
import { nearest } from './nearest.ts';
import { print, Progress, table } from './output.ts';

export const flags = {
  tag: { kind: 'text', shorthand: 't', summary: 'build: the name of the image' },
  file: {
    kind: 'text',
    shorthand: 'f',
    summary: 'build: the Dockerfile (default DIR/Dockerfile; without one, the files of DIR)',
  },
  'build-arg': { kind: 'texts', default: [], summary: 'build: NAME=VALUE of an ARG' },
  target: { kind: 'text', summary: 'build: the stage to build (default the last)' },
  'no-cache': { kind: 'switch', summary: 'build: make every layer anew' },
  ...dataDirFlag,
  ...outputFlag,
} as const satisfies FlagTable;
export const verbs = ['build', 'load', 'pull', 'list'] as const;

const USAGE = `k8ts image: the images of the nodes

  k8ts image list
  k8ts image build -t NAME DIR
  k8ts image pull REFERENCE
  k8ts image load FILE.tar           - reads from stdin: docker save IMAGE | k8ts image load -`;

const ARGUMENTS = { build: 'DIR', load: 'FILE.tar', pull: 'REFERENCE' } as const;

type Values = FlagValues<typeof flags>;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags, { positional: true });
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [verb = 'list', argument] = positional;
  if (!isVerb(verb)) {
    const near = nearest(verb, verbs);
    throw new UsageError(
      `unknown command "image ${verb}"; ${near ? `did you mean image ${near}?` : 'use image build, load, pull or list'}`,
    );
  }
  if (verb === 'list') return list(runningCluster(parsed), values);
  if (argument === undefined) throw new UsageError(`usage: k8ts image ${verb} ${ARGUMENTS[verb]}`);
  if (verb === 'build' && !values.tag) throw new UsageError('usage: k8ts image build -t NAME DIR');
  const cluster = runningCluster(parsed);
  const image = verb === 'build' ? await build(cluster, values, argument) : await fetchImage(cluster, verb, argument);
  if (!image) throw new CommandError(`the image could not be ${verb === 'build' ? 'built' : `${verb}ed`}`);
  print(values.output, { image, ...(verb === 'build' ? { tag: values.tag } : {}) }, () =>
    verb === 'build' ? `built ${values.tag} (${image.slice(0, 19)})` : image,
  );
  return 0;
}

const isVerb = (word: string): word is (typeof verbs)[number] => (verbs as readonly string[]).includes(word);

async function list(cluster: RunningCluster, values: Values): Promise<number> {
  const { images } = await cluster.call<{ images: { id: string; tags: string[]; bytes: number }[] }>('GET', '/images');
  print(values.output, images, (all) =>
    table([
      ['IMAGE', 'ID', 'SIZE'],
      ...all.map(({ id, tags, bytes }) => [tags[0] ?? '<none>', id.slice(0, 19), `${(bytes / 1e6).toFixed(1)} MB`]),
    ]),
  );
  return 0;
}

async function fetchImage(cluster: RunningCluster, verb: 'load' | 'pull', argument: string): Promise<string> {
  const progress = new Progress();
  progress.show(`${verb}ing ${argument}`);
  try {
    if (verb === 'load' && argument === '-') {
      const answer = await cluster.stream('POST', '/images/archive', process.stdin);
      let text = '';
      for await (const piece of answer) text += String(piece);
      return (JSON.parse(text) as { image: string }).image;
    }
    /** The cluster's process may have been started in another directory. */
    const what = verb === 'load' ? path.resolve(argument) : argument;
    if (verb === 'load' && !fs.existsSync(what))
      throw new CommandError(`there is no file ${what}; "docker save -o FILE.tar IMAGE" writes one`);
    return (await cluster.call<{ image: string }>('POST', `/images/${verb}`, { argument: what })).image;
  } finally {
    progress.clear();
  }
}

/** Prints what the build says to stderr: stdout has the result. */
async function build(cluster: RunningCluster, values: Values, directory: string): Promise<string | undefined> {
  const answer = await cluster.stream('POST', '/images/build', {
    directory: path.resolve(directory),
    tag: values.tag,
    ...(values.file === undefined ? {} : { dockerfile: path.resolve(values.file) }),
    ...(values.target === undefined ? {} : { target: values.target }),
    ...(values['no-cache'] ? { noCache: true } : {}),
    buildArguments: Object.fromEntries(values['build-arg'].map(buildArgument)),
  });
  for await (const line of createInterface({ input: answer })) {
    const said = JSON.parse(line) as { output?: string; image?: string; error?: string };
    if (said.error !== undefined) throw new CommandError(said.error);
    if (said.image !== undefined) return said.image;
    process.stderr.write(said.output ?? '');
  }
  throw new CommandError('the cluster ended before the image was built');
}

/** Without a value it is that of the environment, as docker has it. */
function buildArgument(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return at === -1 ? [text, process.env[text] ?? ''] : [text.slice(0, at), text.slice(at + 1)];
}
