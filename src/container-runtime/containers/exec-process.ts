/** Starts exec processes in a running container, through `runc exec`. */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { CriError } from '../../cri/index.ts';
import { readPidFile } from '../linux/processes.ts';
import type { OciProcess, OciSpec } from '../oci-spec/oci-types.ts';
import { newId, type RuntimeParts } from '../runtime-parts.ts';
import { findRunningContainer } from './container-status.ts';

interface ExecOptions {
  readonly containerId: string;
  readonly command: readonly string[];
  readonly terminal: boolean;
  /** The initial size of the terminal, if known. */
  readonly size?: { readonly height: number; readonly width: number };
}

export interface ExecProcess {
  readonly child: ChildProcess;
  /** Whether the command has started. Output before that comes from the OCI runtime. */
  readonly hasStarted: () => boolean;
  /** Kills the process in the container and the `runc exec` that waits for it. */
  readonly kill: () => void;
  /** Removes the temporary files of the exec. */
  readonly dispose: () => void;
}

/** The container's process spec with another command: same user, environment, capabilities and confinement. */
function execSpec(spec: OciSpec, { command, terminal, size }: ExecOptions): OciProcess {
  const env =
    terminal && !spec.process.env.some((variable) => variable.startsWith('TERM='))
      ? [...spec.process.env, 'TERM=xterm']
      : spec.process.env;
  return { ...spec.process, args: [...command], terminal, env, ...(size && { consoleSize: { ...size } }) };
}

/** `stdio` are the child's descriptors 0, 1 and 2: pipes, or the slave side of a terminal. */
export function startExec(
  parts: RuntimeParts,
  options: ExecOptions,
  stdio: readonly ('pipe' | 'ignore' | number)[],
): ExecProcess {
  const record = findRunningContainer(parts, options.containerId);
  const runtime = parts.handlers.get(record.runtimeHandler);
  if (runtime === undefined)
    throw new CriError('UNKNOWN', `no runtime for ${JSON.stringify(record.runtimeHandler)} is configured`);
  if (options.command.length === 0) throw new CriError('INVALID_ARGUMENT', 'there is no command to run');
  const paths = parts.paths.container(record.id);
  const name = newId(parts.ctx).slice(0, 16);
  const specFile = path.join(paths.directory, `exec-${name}.json`);
  const pidFile = path.join(paths.directory, `exec-${name}.pid`);
  fs.writeFileSync(
    specFile,
    JSON.stringify(execSpec(JSON.parse(fs.readFileSync(paths.spec, 'utf8')) as OciSpec, options)),
    { mode: 0o600 },
  );
  const child = spawn(
    runtime.path,
    [
      ...runtime.globalArguments,
      'exec',
      '--process',
      specFile,
      '--pid-file',
      pidFile,
      ...(options.terminal ? ['--tty'] : []),
      record.id,
    ],
    {
      stdio: [...stdio],
      env: { PATH: process.env['PATH'] ?? '' },
    },
  );
  return {
    child,
    // runc writes the pid file only after the process has started.
    hasStarted: () => fs.existsSync(pidFile),
    kill: () => {
      const pid = readPidFile(pidFile);
      if (pid !== undefined) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended.
        }
      }
      child.kill('SIGKILL');
    },
    dispose: () => {
      fs.rmSync(specFile, { force: true });
      fs.rmSync(pidFile, { force: true });
    },
  };
}
