/** The verbose info of statuses, which `crictl inspect` shows, as JSON under the key "info". */
import fs from 'node:fs';
import type { ContainerRecord } from './records/container-record.ts';
import type { SandboxRecord } from './records/sandbox-record.ts';
import type { RuntimeParts } from './runtime-parts.ts';

export function verboseContainerInfo(parts: RuntimeParts, record: ContainerRecord): Record<string, string> {
  const { sandboxId, process, runtimeHandler, id, config } = record;
  return {
    info: JSON.stringify({
      sandboxID: sandboxId,
      pid: process?.pid ?? 0,
      removing: record.phase === 'removing',
      snapshotKey: id,
      runtimeType: runtimeHandler,
      // Environment variables may hold secrets.
      config: { ...config, envs: undefined },
      runtimeSpec: readJson(parts.paths.container(id).spec),
    }),
  };
}

export function verboseSandboxInfo(
  parts: RuntimeParts,
  { id, config, infra, runtimeHandler }: SandboxRecord,
): Record<string, string> {
  const paths = parts.paths.sandbox(id);
  const namespaces = (['net', 'ipc', 'uts', 'pid', 'user'] as const)
    .filter((kind) => fs.existsSync(paths[kind]))
    .map((kind) => [kind, paths[kind]]);
  return {
    info: JSON.stringify({
      pid: infra?.pid ?? 0,
      runtimeHandler,
      config,
      namespaces: Object.fromEntries(namespaces) as object,
    }),
  };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}
