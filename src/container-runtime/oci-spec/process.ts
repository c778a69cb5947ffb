/** Command, environment and working directory of a container: its config over the image's defaults. */
import path from 'node:path';
import type { ContainerConfig } from '../../cri/index.ts';
import type { ProcessDefaults } from '../images/index.ts';

const DEFAULT_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** `command` replaces the image's entrypoint and cmd; `args` alone replace the cmd. */
export function commandLine(config: ContainerConfig, image: ProcessDefaults): string[] {
  const { command = [], args = [] } = config;
  const imageEntrypoint = image.Entrypoint ?? [];
  const entrypoint = command.length > 0 ? command : imageEntrypoint;
  const parameters = args.length > 0 || command.length > 0 ? args : (image.Cmd ?? []);
  const line = [...entrypoint, ...parameters];
  if (line.length === 0 || line[0] === '') throw new Error('no command specified');
  return line;
}

/** Later variables replace earlier ones of the same name, at the position of the first. */
export function environment(config: ContainerConfig, image: ProcessDefaults, hostname: string): string[] {
  const variables = new Map<string, string>();
  const set = (variable: string): void => {
    const equals = variable.indexOf('=');
    variables.set(equals < 0 ? variable : variable.slice(0, equals), variable);
  };
  set(DEFAULT_PATH);
  if (hostname !== '') set(`HOSTNAME=${hostname}`);
  if (config.tty) set('TERM=xterm');
  for (const variable of image.Env ?? []) set(variable);
  for (const { key = '', value } of config.envs ?? [])
    set(`${key}=${value === undefined ? '' : Buffer.from(value).toString()}`);
  return [...variables.values()];
}

export function workingDirectory(config: ContainerConfig, image: ProcessDefaults): string {
  const directory = config.workingDir || image.WorkingDir || '/';
  return path.posix.isAbsolute(directory) ? directory : path.posix.join('/', directory);
}

/** A name, with or without SIG, or a number. */
export function stopSignalOf(config: ContainerConfig, image: ProcessDefaults): string {
  if (config.stopSignal !== undefined && config.stopSignal !== 'RUNTIME_DEFAULT') return config.stopSignal;
  return image.StopSignal || 'SIGTERM';
}
