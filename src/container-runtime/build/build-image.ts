/**
 * Builds an image from a Dockerfile, or from a directory alone. Each RUN, COPY and ADD is a layer; a step whose parent,
 * text and files are those of an earlier build takes that build's layer.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from '../../kernel/index.ts';
import type { ImageStore, PullOptions, PullProgress, Snapshot, StoredImage } from '../images/index.ts';
import type { ProcessDefaults } from '../images/manifest/oci-types.ts';
import type { OciRuntime } from '../oci-runtime.ts';
import { resolveUser } from '../oci-spec/users.ts';
import { hashSources, SourceTree, type Source } from './build-context.ts';
import { BuildError } from './build-error.ts';
import { copySources, makeDirectoryInside, type CopyOptions } from './copy-files.ts';
import { parseDockerfile, type Instruction } from './parse-dockerfile.ts';
import { runCommand } from './run-command.ts';
import { upperLayer } from './upper-layer.ts';
import { assignments, expandText, splitWords, type Variables } from './words.ts';

export interface BuildOptions {
  readonly directory: string;
  /** Default: `Dockerfile` in the directory; without one, the image has the directory's files. */
  readonly dockerfile?: string;
  readonly tag: string;
  readonly buildArguments?: Readonly<Record<string, string>>;
  /** The stage to build; default the last. */
  readonly target?: string;
  readonly noCache?: boolean;
  readonly signal?: AbortSignal;
  /** Takes the instructions and the output of their commands. */
  readonly write: (text: string) => void;
  readonly onProgress?: (progress: BuildProgress) => void;
}

/** How far a build is: the instruction that runs, counted from 1. */
export interface BuildProgress {
  readonly step: number;
  readonly steps: number;
  readonly instruction: string;
  /** While the instruction's base image is pulled. */
  readonly pull?: PullProgress;
}

interface BuildParts {
  readonly images: ImageStore;
  readonly runtime: OciRuntime;
  /** A directory for what containers of the build need; created and removed. */
  readonly workDirectory: string;
  readonly cgroup?: string;
}

/** Images of earlier steps. The kubelet's image garbage collection removes those that nobody used for long. */
const CACHE = 'localhost/k8ts-build-cache';
const DEFAULT_SHELL = ['/bin/sh', '-c'];
const DEFAULT_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const SCRATCH = 'scratch';

export const isBuildCache = (tag: string): boolean => tag.startsWith(`${CACHE}:`);

export async function buildImage(parts: BuildParts, options: BuildOptions): Promise<StoredImage> {
  const directory = path.resolve(options.directory);
  const file = path.resolve(directory, options.dockerfile ?? 'Dockerfile');
  if (!fs.existsSync(directory)) throw new BuildError(0, `there is no directory ${directory}`);
  if (!fs.existsSync(file) && options.dockerfile !== undefined) throw new BuildError(0, `there is no file ${file}`);
  // A directory alone is the simplest image.
  const source = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : 'FROM scratch\nCOPY . /\n';
  makeDirectorySync(parts.workDirectory, { mode: 0o700 });
  try {
    return await new Build(parts, options, SourceTree.ofDirectory(directory, file)).run(parseDockerfile(source));
  } finally {
    fs.rmSync(parts.workDirectory, { recursive: true, force: true });
  }
}

interface Stage {
  readonly name: string | undefined;
  /** The image so far; undefined for an empty one. */
  image: string | undefined;
  config: ProcessDefaults;
  /** What RUN and variables see besides the image's environment. */
  readonly buildArguments: Map<string, string>;
  shell: readonly string[];
  /** Hashes of everything that led here. */
  key: string;
}

class Build {
  readonly #parts: BuildParts;
  readonly #options: BuildOptions;
  readonly #context: SourceTree;
  readonly #stages: Stage[] = [];
  readonly #globals = new Map<string, string>();
  #mounted = 0;
  #progress: BuildProgress | undefined;

  constructor(parts: BuildParts, options: BuildOptions, context: SourceTree) {
    this.#parts = parts;
    this.#options = options;
    this.#context = context;
  }

  async run(instructions: readonly Instruction[]): Promise<StoredImage> {
    const wanted = this.#options.target;
    for (const [index, instruction] of instructions.entries()) {
      this.#options.signal?.throwIfAborted();
      if (instruction.name === 'FROM' && wanted !== undefined && this.#stages.at(-1)?.name === wanted) break;
      const [step, steps, text] = [index + 1, instructions.length, `${instruction.name} ${instruction.text}`];
      this.#options.write(`[${step}/${steps}] ${text}\n`);
      this.#progress = { step, steps, instruction: text };
      this.#options.onProgress?.(this.#progress);
      await this.#step(instruction);
    }
    const stage = this.#stages.at(-1)!;
    if (wanted !== undefined && stage.name !== wanted) throw new BuildError(0, `there is no stage ${wanted}`);
    return this.#parts.images.commit({
      ...(stage.image === undefined ? {} : { base: stage.image }),
      config: stage.config,
      tag: this.#options.tag,
    });
  }

  async #step(instruction: Instruction): Promise<void> {
    const { name, line } = instruction;
    if (name === 'FROM') return this.#from(instruction);
    const stage = this.#stages.at(-1);
    if (name === 'ARG') return this.#arg(stage, instruction);
    if (!stage) throw new BuildError(line, 'FROM must come first');
    switch (name) {
      case 'RUN':
        return this.#run(stage, instruction);
      case 'COPY':
      case 'ADD':
        return this.#copy(stage, instruction);
      case 'WORKDIR':
        return this.#workdir(stage, instruction);
      case 'HEALTHCHECK':
        return this.#options.write('  HEALTHCHECK is ignored: Kubernetes uses the probes of the Pod\n');
      default:
        stage.config = { ...stage.config, ...configured(stage, instruction, this.#variables(stage)) };
        if (name === 'SHELL') stage.shell = shellOf(instruction);
    }
  }

  #variables(stage: Stage): Variables {
    return new Map([...stage.buildArguments, ...environmentOf(stage.config)]);
  }

  async #from({ text, line, flags }: Instruction): Promise<void> {
    if (flags.has('platform')) this.#options.write('  --platform is ignored: images are built for this machine\n');
    const [base = '', as, name, ...rest] = splitWords(text, this.#globals);
    if (base === '' || rest.length > 0 || (as !== undefined && (as.toLowerCase() !== 'as' || name === undefined)))
      throw new BuildError(line, 'FROM takes an image, and AS with the name of the stage');
    const earlier = this.#stages.find((stage) => stage.name === base);
    const stage = { name, buildArguments: new Map<string, string>(), shell: DEFAULT_SHELL };
    if (earlier) this.#stages.push({ ...earlier, ...stage });
    else if (base === SCRATCH)
      this.#stages.push({ ...stage, image: undefined, config: { Env: [DEFAULT_PATH] }, key: SCRATCH });
    else {
      const image = await this.#image(base, line);
      const config = { ...image.config.config, Env: image.config.config?.Env ?? [DEFAULT_PATH] };
      this.#stages.push({ ...stage, image: image.id, config, key: image.id });
    }
  }

  /** From the store, or else pulled. */
  async #image(reference: string, line: number): Promise<StoredImage> {
    const { images } = this.#parts;
    try {
      const { signal, onProgress } = this.#options;
      const options: PullOptions = {
        ...(signal ? { signal } : {}),
        onProgress: (pull) => this.#progress && onProgress?.({ ...this.#progress, pull }),
      };
      return images.resolve(reference) ?? (await images.pull(reference, options));
    } catch (error) {
      throw new BuildError(line, `${reference}: ${(error as Error).message}`, { cause: error });
    }
  }

  #arg(stage: Stage | undefined, { text, line }: Instruction): void {
    for (const word of splitWords(text, stage ? this.#variables(stage) : this.#globals)) {
      const [name = '', ...value] = word.split('=');
      if (!/^[A-Za-z_]\w*$/.test(name)) throw new BuildError(line, `${name} is not the name of an argument`);
      const given = this.#options.buildArguments?.[name];
      const known = given ?? (value.length > 0 ? value.join('=') : stage ? this.#globals.get(name) : undefined);
      if (known !== undefined) (stage?.buildArguments ?? this.#globals).set(name, known);
    }
  }

  async #run(stage: Stage, instruction: Instruction): Promise<void> {
    const { line, text, words } = instruction;
    const command = words ?? [...stage.shell, text];
    const environment = [
      ...Array.from(stage.buildArguments, ([name, value]) => `${name}=${value}`),
      ...(stage.config.Env ?? []),
    ];
    const key = hash(stage.key, 'RUN', command, environment, stage.config.User ?? '', stage.config.WorkingDir ?? '');
    await this.#layer(stage, instruction, key, async ({ rootfs }) => {
      const bundle = path.join(this.#parts.workDirectory, `run-${line}`);
      makeDirectorySync(bundle, { mode: 0o700 });
      const code = await runCommand(this.#parts.runtime, {
        rootfs,
        bundle,
        id: `k8ts-build-${process.pid}-${path.basename(this.#parts.workDirectory)}-${line}`,
        words: command,
        environment,
        directory: stage.config.WorkingDir || '/',
        user: resolveUser(undefined, stage.config.User, userFiles(rootfs)),
        ...(this.#parts.cgroup === undefined ? {} : { cgroup: this.#parts.cgroup }),
        write: (output) => this.#options.write(output),
        ...(this.#options.signal ? { signal: this.#options.signal } : {}),
      });
      if (code !== 0) throw new BuildError(line, `the command ended with ${code}: ${text}`);
    });
  }

  async #copy(stage: Stage, instruction: Instruction): Promise<void> {
    const { name, line, flags, text } = instruction;
    const variables = this.#variables(stage);
    const all = instruction.words?.map((word) => expandText(word, variables)) ?? splitWords(text, variables);
    if (all.length < 2) throw new BuildError(line, `${name} takes sources and a target`);
    const [patterns, given] = [all.slice(0, -1), all.at(-1)!];
    const target = given.startsWith('/') ? given : `${stage.config.WorkingDir || '/'}/${given}`;
    await this.#withTree(flags.get('from'), line, async (tree) => {
      const sources = patterns.flatMap((pattern) => this.#sources(tree, pattern, instruction));
      const owner = expandText(flags.get('chown') ?? '', variables);
      const mode = modeOf(flags.get('chmod'), line);
      const key = hash(stage.key, name, target, owner, mode ?? -1, patterns, hashSources(sources));
      await this.#layer(stage, instruction, key, ({ rootfs }) => {
        const { uid, gid } = owner === '' ? { uid: 0, gid: 0 } : resolveUser(undefined, owner, userFiles(rootfs));
        copySources(rootfs, sources, target, { uid, gid, ...(mode === undefined ? {} : { mode }) });
      });
    });
  }

  #sources(tree: SourceTree, pattern: string, { name, line }: Instruction): Source[] {
    if (name === 'ADD' && /^(?:https?|ftp|git):|^git@/.test(pattern))
      throw new BuildError(line, `ADD of ${pattern} is not supported: builds fetch nothing but images`);
    const found = tree.find(pattern);
    if (!found) throw new BuildError(line, `there is no ${pattern} in what ${name} copies from`);
    if (name === 'ADD' && found.some((source) => !source.isDirectory && /\.(?:tar|tgz|tar\.\w+)$/.test(source.name)))
      throw new BuildError(line, `ADD of the archive ${pattern} is not supported; use COPY, and RUN tar`);
    return found;
  }

  async #withTree(from: string | undefined, line: number, work: (tree: SourceTree) => Promise<void>): Promise<void> {
    if (from === undefined) return work(this.#context);
    const stage = /^\d+$/.test(from) ? this.#stages[Number(from)] : this.#stages.find(({ name }) => name === from);
    if (stage && stage === this.#stages.at(-1)) throw new BuildError(line, `COPY --from=${from} is the stage itself`);
    const image = stage ? stage.image : (await this.#image(from, line)).id;
    return this.#withSnapshot(image, ({ rootfs }) => work(new SourceTree(rootfs)));
  }

  async #workdir(stage: Stage, instruction: Instruction): Promise<void> {
    const given = expandText(instruction.text, this.#variables(stage));
    const directory = path.posix.resolve(stage.config.WorkingDir || '/', given);
    stage.config = { ...stage.config, WorkingDir: directory };
    const owner: CopyOptions = { uid: 0, gid: 0 };
    await this.#layer(stage, instruction, hash(stage.key, 'WORKDIR', directory), ({ rootfs }) =>
      makeDirectoryInside(rootfs, directory, owner),
    );
  }

  /** Makes the step's layer, or takes it from an earlier build. */
  async #layer(
    stage: Stage,
    { name, text }: Instruction,
    key: string,
    change: (snapshot: Snapshot) => void | Promise<void>,
  ): Promise<void> {
    const { images } = this.#parts;
    const tag = `${CACHE}:${key}`;
    const known = this.#options.noCache ? undefined : images.resolve(tag);
    if (known) this.#options.write('  cached\n');
    const image =
      known ??
      (await this.#withSnapshot(stage.image, async (snapshot) => {
        await change(snapshot);
        return images.commit({
          ...(stage.image === undefined ? {} : { base: stage.image }),
          layer: upperLayer(snapshot.upperdir!),
          config: stage.config,
          createdBy: `${name} ${text}`,
          tag,
        });
      }));
    stage.image = image.id;
    stage.key = key;
  }

  async #withSnapshot<T>(image: string | undefined, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const { images, workDirectory } = this.#parts;
    const base =
      image ?? (await images.commit({ config: {}, createdBy: 'FROM scratch', tag: `${CACHE}:${SCRATCH}` })).id;
    const key = `${path.basename(workDirectory)}-${this.#mounted++}`;
    const snapshot = await images.snapshots.prepare(key, base);
    try {
      return await work(snapshot);
    } finally {
      await images.snapshots.remove(key);
    }
  }
}

function hash(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}

/** What an instruction changes in the image's config. */
function configured(stage: Stage, instruction: Instruction, variables: Variables): ProcessDefaults {
  const { name, text, words } = instruction;
  const { config } = stage;
  const command = (): string[] => [...(words ?? [...stage.shell, text])];
  const each = (): string[] => words?.map((word) => expandText(word, variables)) ?? splitWords(text, variables);
  switch (name) {
    case 'ENV': {
      const values = new Map([...environmentOf(config), ...assignments(text, variables)]);
      return { Env: Array.from(values, ([key, value]) => `${key}=${value}`) };
    }
    case 'LABEL':
      return { Labels: { ...config.Labels, ...Object.fromEntries(assignments(text, variables)) } };
    case 'MAINTAINER':
      return { Labels: { ...config.Labels, maintainer: text } };
    case 'USER':
      return { User: expandText(text, variables) };
    case 'ENTRYPOINT':
      // A command of the base image belongs to its own entry point.
      return { Entrypoint: command(), Cmd: null };
    case 'CMD':
      return { Cmd: command() };
    case 'EXPOSE': {
      const ports = each().map((port) => [port.includes('/') ? port : `${port}/tcp`, {}] as const);
      return { ExposedPorts: { ...config.ExposedPorts, ...Object.fromEntries(ports) } };
    }
    case 'VOLUME':
      return { Volumes: { ...config.Volumes, ...Object.fromEntries(each().map((place) => [place, {}] as const)) } };
    case 'STOPSIGNAL':
      return { StopSignal: expandText(text, variables) };
    default:
      return {};
  }
}

function shellOf({ words, line }: Instruction): readonly string[] {
  if (!words || words.length === 0) throw new BuildError(line, 'SHELL takes a list: SHELL ["/bin/sh", "-c"]');
  return words;
}

function environmentOf({ Env }: ProcessDefaults): [name: string, value: string][] {
  return (Env ?? []).map((entry) => {
    const at = entry.indexOf('=');
    return [entry.slice(0, at), entry.slice(at + 1)];
  });
}

function modeOf(text: string | undefined, line: number): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[0-7]{3,4}$/.test(text)) throw new BuildError(line, `--chmod=${text} is not a mode such as 755`);
  return parseInt(text, 8);
}

function userFiles(rootfs: string): { passwd: string; group: string } {
  const read = (file: string): string => {
    const place = path.join(rootfs, 'etc', file);
    // A link could lead out of the image.
    return fs.lstatSync(place, { throwIfNoEntry: false })?.isFile() ? fs.readFileSync(place, 'utf8') : '';
  };
  return { passwd: read('passwd'), group: read('group') };
}
