/** `k8ts image build|load|pull|push|list`: the images of the nodes that run containers. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { nearest } from '../base/index.ts';
import { flagsHelp, type FlagTable, type FlagValues, parseFlags, UsageError } from '../flags/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster, type RunningCluster } from './control-client.ts';
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
export const verbs = ['build', 'load', 'pull', 'push', 'list'] as const;

const USAGE = `k8ts image: the images of the nodes

  k8ts image list
  k8ts image build -t NAME DIR
  k8ts image pull REFERENCE
  k8ts image push REFERENCE
  k8ts image load FILE.tar           - reads from stdin: docker save IMAGE | k8ts image load -

Credentials for pull and push are those of docker: $DOCKER_CONFIG/config.json, or ~/.docker/config.json.`;

const ARGUMENTS = { build: 'DIR', load: 'FILE.tar', pull: 'REFERENCE', push: 'REFERENCE' } as const;

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
      `unknown command "image ${verb}"; ${near ? `did you mean image ${near}?` : 'use image build, load, pull, push or list'}`,
    );
  }
  if (verb === 'list') return list(runningCluster(parsed), values);
  if (argument === undefined) throw new UsageError(`usage: k8ts image ${verb} ${ARGUMENTS[verb]}`);
  if (verb === 'build' && !values.tag) throw new UsageError('usage: k8ts image build -t NAME DIR');
  const cluster = runningCluster(parsed);
  const image = verb === 'build' ? await build(cluster, values, argument) : await transfer(cluster, verb, argument);
  print(values.output, { image, ...(verb === 'build' ? { tag: values.tag } : {}) }, () =>
    verb === 'build'
      ? `built ${values.tag} (${image.slice(0, 19)})`
      : verb === 'push'
        ? `pushed ${argument} (${image.slice(0, 19)})`
        : image,
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

async function transfer(cluster: RunningCluster, verb: 'load' | 'pull' | 'push', argument: string): Promise<string> {
  const progress = new Progress();
  const what = `${verb}ing ${argument}`;
  progress.show(what);
  try {
    if (verb === 'load' && argument === '-') return await loadFromStdin(cluster, progress);
    /** The cluster's process may have been started in another directory. */
    const target = verb === 'load' ? path.resolve(argument) : argument;
    if (verb === 'load' && !fs.existsSync(target))
      throw new CommandError(`there is no file ${target}; "docker save -o FILE.tar IMAGE" writes one`);
    const credentials = path.join(process.env['DOCKER_CONFIG'] ?? path.join(os.homedir(), '.docker'), 'config.json');
    return await result(cluster, `/images/${verb}`, {
      body: { argument: target, ...(fs.existsSync(credentials) ? { dockerConfig: credentials } : {}) },
      onLine: (line) => line.progress && progress.show(`${what}: ${describeTransfer(line.progress)}`),
    });
  } finally {
    progress.clear();
  }
}

async function loadFromStdin(cluster: RunningCluster, progress: Progress): Promise<string> {
  let doneBytes = 0;
  process.stdin.on('data', (piece: Buffer) => {
    doneBytes += piece.length;
    progress.show(`loading from stdin: ${megabytes(doneBytes)} MB`);
  });
  process.stdin.pause();
  const answer = await cluster.stream('POST', '/images/archive', process.stdin);
  return (JSON.parse(await text(answer)) as { image: string }).image;
}

interface TransferProgress {
  readonly node: string;
  readonly doneBytes: number;
  readonly totalBytes?: number;
}

const BAR_WIDTH = 20;
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

export function describeTransfer({ node, doneBytes, totalBytes }: TransferProgress): string {
  if (!totalBytes) return `${megabytes(doneBytes)} MB on ${node}`;
  return `${bar(doneBytes / totalBytes)} ${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB on ${node}`;
}

interface BuildProgress {
  readonly step: number;
  readonly steps: number;
  readonly instruction: string;
  readonly pull?: { readonly received: number };
}

/** The bar has the steps that are done. */
export function describeBuild({ step, steps, instruction, pull }: BuildProgress): string {
  const pulled = pull ? ` (${megabytes(pull.received)} MB)` : '';
  return `${bar((step - 1) / steps)} step ${step} of ${steps}${pulled}: ${instruction}`;
}

function bar(part: number): string {
  const full = Math.round(Math.min(1, part) * BAR_WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}`;
}

/** A line that the cluster sends while it works, or at the end. */
interface Line {
  readonly output?: string;
  readonly progress?: TransferProgress;
  readonly build?: BuildProgress;
  readonly image?: string;
  readonly error?: string;
}

async function result(
  cluster: RunningCluster,
  target: string,
  { body, onLine }: { readonly body: object; readonly onLine: (line: Line) => void },
): Promise<string> {
  for await (const line of createInterface({ input: await cluster.stream('POST', target, body) })) {
    const said = JSON.parse(line) as Line;
    if (said.error !== undefined) throw new CommandError(said.error);
    if (said.image !== undefined) return said.image;
    onLine(said);
  }
  throw new CommandError('the cluster ended before the image was there');
}

/** Prints what the build says to stderr, above a progress line: stdout has the result. */
async function build(cluster: RunningCluster, values: Values, directory: string): Promise<string> {
  const progress = new Progress();
  let shown = '';
  const onLine = ({ output = '', build: reached }: Line): void => {
    if (reached) shown = describeBuild(reached);
    progress.clear();
    process.stderr.write(output);
    // Not behind half a line.
    if (shown !== '' && (reached || output.endsWith('\n'))) progress.show(shown);
  };
  try {
    return await result(cluster, '/images/build', {
      body: {
        directory: path.resolve(directory),
        tag: values.tag,
        ...(values.file === undefined ? {} : { dockerfile: path.resolve(values.file) }),
        ...(values.target === undefined ? {} : { target: values.target }),
        ...(values['no-cache'] ? { noCache: true } : {}),
        buildArguments: Object.fromEntries(values['build-arg'].map(buildArgument)),
      },
      onLine,
    });
  } finally {
    progress.clear();
  }
}

/** Without a value it is that of the environment, as docker has it. */
function buildArgument(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return at === -1 ? [text, process.env[text] ?? ''] : [text.slice(0, at), text.slice(at + 1)];
}
