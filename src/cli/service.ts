/** `k8ts service install|uninstall|status`: k8ts as a service of systemd. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {
  type ConfigFile,
  flagsHelp,
  type FlagTable,
  type FlagValues,
  parseFlags,
  readConfigFile,
  UsageError,
} from '../flags/index.ts';
import { makeDirectorySync } from '../kernel/index.ts';
import { CommandError, outputFlag } from './command.ts';
import { CONFIGURED, type ConfiguredCommand } from './config.ts';
import { print } from './output.ts';
import { readProcessFile } from './process-file.ts';
import { serviceUnit, WRITTEN_BY } from './service-unit.ts';

export const flags = {
  for: {
    kind: 'text',
    only: ['up', 'join'],
    default: 'up',
    summary: 'What the service runs: a cluster (up), or this machine as a node of one (join)',
  },
  config: { kind: 'text', path: true, default: '/etc/k8ts/k8ts.yaml', summary: 'Configuration file of the service' },
  name: { kind: 'text', default: 'k8ts', summary: 'Name of the unit' },
  root: { kind: 'text', path: true, default: '/', summary: 'Install into the system image in this directory' },
  now: {
    kind: 'switch',
    default: true,
    summary: 'Start the service when it is installed, and stop it before it is removed',
  },
  'dry-run': { kind: 'switch', summary: 'Print the unit, and change nothing' },
  ...outputFlag,
} as const satisfies FlagTable;

export const verbs = ['install', 'uninstall', 'status'] as const;

type Values = FlagValues<typeof flags>;

const USAGE = `k8ts service: k8ts as a service of systemd

  k8ts service install [--for join] [--config FILE]     writes, enables and starts the unit
  k8ts service uninstall                                stops, disables and removes it; the data stays
  k8ts service status`;

/** The data directory of a service whose configuration names none. */
const DATA_DIRECTORY = { up: '/var/lib/k8ts/cluster', join: '/var/lib/k8ts/node' } as const;

export function run(argv: readonly string[]): Promise<number> {
  const { values, positional, help } = parseFlags(argv, flags, { positional: true });
  const [verb = '', ...rest] = positional;
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return Promise.resolve(0);
  }
  if (!(verbs as readonly string[]).includes(verb) || rest.length > 0)
    throw new UsageError(
      `${verb === '' ? 'what to do is missing' : `unknown command "service ${positional.join(' ')}"`}\n\n${USAGE}`,
    );
  if (!/^[\w@.-]+$/.test(values.name))
    throw new UsageError(`--name ${JSON.stringify(values.name)} is no name of a unit`);
  if (!/^[\w@%+=:,./-]+$/.test(values.config))
    throw new UsageError(
      `--config ${JSON.stringify(values.config)}: choose a name without spaces and quotes for a unit`,
    );
  if (verb === 'status') return Promise.resolve(status(values));
  if (verb === 'uninstall') uninstall(values);
  else install(values);
  return Promise.resolve(0);
}

const unitFile = ({ root, name }: Values): string =>
  path.join(path.resolve(root), 'etc/systemd/system', `${name}.service`);
const isImage = ({ root }: Values): boolean => path.resolve(root) !== '/';
const configIn = ({ root, config }: Values): string => path.join(path.resolve(root), path.resolve(config));

function install(values: Values): void {
  const command = values.for as ConfiguredCommand;
  const existing = fs.existsSync(configIn(values))
    ? readConfigFile(configIn(values), CONFIGURED[command].flags)
    : undefined;
  const configText = existing ? undefined : firstConfig(command);
  const dataDirectory = dataDirectoryOf(command, existing);
  const unit = serviceUnit({
    command,
    program: [process.execPath, installedProgram()],
    config: path.resolve(values.config),
    dataDirectory,
    runsContainers: command === 'join' || existing?.values.get('nodes')?.value !== 0,
  });
  if (values['dry-run']) {
    print(values.output, { file: unitFile(values), unit }, () => unit.trimEnd());
    return;
  }
  needRoot(values);
  if (configText !== undefined) {
    makeDirectorySync(path.dirname(configIn(values)), { mode: 0o755 });
    fs.writeFileSync(configIn(values), configText, { mode: 0o600, flag: 'wx' });
  }
  if (!fs.existsSync(path.join(path.resolve(values.root), dataDirectory)))
    makeDirectorySync(path.join(path.resolve(values.root), dataDirectory), { mode: 0o700 });
  makeDirectorySync(path.dirname(unitFile(values)), { mode: 0o755 });
  fs.writeFileSync(unitFile(values), unit, { mode: 0o644 });
  const running = isSystemdRunning(values);
  if (running) systemctl(values, 'daemon-reload');
  systemctl(values, 'enable', `${values.name}.service`);
  const isStarted = running && values.now;
  if (isStarted) systemctl(values, 'restart', `${values.name}.service`);
  const result = { unit: unitFile(values), config: configIn(values), dataDirectory, started: isStarted };
  print(values.output, result, () =>
    [
      `installed ${result.unit}${isStarted ? ' and started it' : ''}`,
      `configuration   ${result.config}${configText === undefined ? '' : ' (written; edit it as you need)'}`,
      `data            ${dataDirectory}`,
      ...(isStarted ? [] : [`start it with "systemctl start ${values.name}"`]),
    ].join('\n'),
  );
}

function uninstall(values: Values): void {
  if (!fs.existsSync(unitFile(values))) throw new CommandError(`there is no unit ${unitFile(values)}`);
  if (values['dry-run']) {
    print(values.output, { removed: unitFile(values) }, ({ removed }) => `would remove ${removed}`);
    return;
  }
  needRoot(values);
  const running = isSystemdRunning(values);
  systemctl(values, 'disable', ...(running && values.now ? ['--now'] : []), `${values.name}.service`);
  fs.rmSync(unitFile(values));
  if (running) systemctl(values, 'daemon-reload');
  print(
    values.output,
    { removed: unitFile(values) },
    ({ removed }) =>
      `removed ${removed}; the configuration and the data stay, and containers run on${values.for === 'join' ? ' ("k8ts leave" ends them)' : ''}`,
  );
}

/** 0 when the service runs, 3 otherwise, as systemctl has it. */
function status(values: Values): number {
  const file = unitFile(values);
  if (!fs.existsSync(file)) throw new CommandError(`there is no unit ${file}; "k8ts service install" writes it`);
  const ask = (verb: string): string =>
    isSystemdRunning(values) || verb === 'is-enabled'
      ? spawnSync('systemctl', [...rootFlag(values), verb, `${values.name}.service`], {
          encoding: 'utf8',
        }).stdout.trim() || 'unknown'
      : 'systemd is not running';
  const command = commandIn(file);
  const config = fs.existsSync(configIn(values))
    ? readConfigFile(configIn(values), CONFIGURED[command].flags)
    : undefined;
  const dataDirectory = dataDirectoryOf(command, config);
  const process = isImage(values) ? undefined : readProcessFile(dataDirectory);
  const result = {
    unit: file,
    runs: `k8ts ${command}`,
    enabled: ask('is-enabled'),
    active: ask('is-active'),
    config: configIn(values),
    dataDirectory,
    ...(process ? { pid: process.pid } : {}),
  };
  print(values.output, result, () =>
    Object.entries(result)
      .map(([name, value]) => `${name.padEnd(16)}${value}`)
      .join('\n'),
  );
  return process ? 0 : 3;
}

const commandIn = (file: string): ConfiguredCommand =>
  /^ExecStart=.* join --config /m.test(fs.readFileSync(file, 'utf8')) ? 'join' : 'up';

function dataDirectoryOf(command: ConfiguredCommand, config: ConfigFile | undefined): string {
  const named = config?.values.get('data-dir');
  if (named) return String(named.value);
  if (config && command === 'up')
    throw new CommandError(`${config.path} names no data directory; add "data-dir: ${DATA_DIRECTORY.up}"`);
  return DATA_DIRECTORY[command];
}

function firstConfig(command: ConfiguredCommand): string {
  if (command === 'join')
    return `# The keys are the flags of "k8ts join". A machine joins once with "k8ts join URL --token T"; then it needs neither.\ndata-dir: ${DATA_DIRECTORY.join}\n`;
  return `# The keys are the flags of "k8ts up"; "k8ts config check" checks them.\ndata-dir: ${DATA_DIRECTORY.up}\n`;
}

const UNITS = '/etc/systemd/system';

/** The unit of ours that runs the cluster or node of this directory, where systemd runs. */
export function serviceOf(directory: string): string | undefined {
  if (!fs.existsSync('/run/systemd/system') || !fs.existsSync(UNITS)) return undefined;
  return fs
    .readdirSync(UNITS)
    .filter((name) => name.endsWith('.service'))
    .find((name) => {
      const text = fs.readFileSync(path.join(UNITS, name), 'utf8');
      const config = /^ExecStart=.* (?:up|join) --config (\S+)$/m.exec(text)?.[1];
      if (!text.startsWith(WRITTEN_BY) || config === undefined || !fs.existsSync(config)) return false;
      const command = commandIn(path.join(UNITS, name));
      return dataDirectoryOf(command, readConfigFile(config, CONFIGURED[command].flags)) === directory;
    });
}

/** Lets the unit run this program, and restarts it; resolves when it is ready. Containers run on. */
export function replaceUnitProgram(name: string): void {
  const file = path.join(UNITS, name);
  const text = fs.readFileSync(file, 'utf8');
  const config = /^ExecStart=.* (?:up|join) --config (\S+)$/m.exec(text)![1]!;
  const command = commandIn(file);
  const found = readConfigFile(config, CONFIGURED[command].flags);
  const unit = serviceUnit({
    command,
    program: [process.execPath, installedProgram()],
    config,
    dataDirectory: dataDirectoryOf(command, found),
    runsContainers: command === 'join' || found.values.get('nodes')?.value !== 0,
  });
  fs.writeFileSync(file, unit, { mode: 0o644 });
  runSystemctl(['daemon-reload']);
  runSystemctl(['restart', name]);
}

/** A program in a cache of npm would be gone one day. */
function installedProgram(): string {
  const program = fs.realpathSync(process.argv[1]!);
  if (program.includes(`${path.sep}_npx${path.sep}`))
    throw new CommandError(
      'this k8ts is in the cache of npx, which npm may empty; install it with "npm install --global k8ts"',
    );
  return program;
}

function needRoot(values: Values): void {
  if (!isImage(values) && process.getuid?.() !== 0)
    throw new CommandError('only root can install a service: run this with sudo, or see the unit with --dry-run');
}

const isSystemdRunning = (values: Values): boolean => !isImage(values) && fs.existsSync('/run/systemd/system');
const rootFlag = (values: Values): string[] => (isImage(values) ? [`--root=${path.resolve(values.root)}`] : []);

const systemctl = (values: Values, ...args: readonly string[]): void => runSystemctl([...rootFlag(values), ...args]);

function runSystemctl(args: readonly string[]): void {
  const { status: code, stderr, error } = spawnSync('systemctl', args, { encoding: 'utf8' });
  if (error) throw new CommandError(`systemctl cannot be run (${error.message}); is systemd installed?`);
  if (code !== 0) throw new CommandError(`systemctl ${args.join(' ')} failed: ${stderr.trim()}`);
}
