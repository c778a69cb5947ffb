/** Starts the container runtime: recovers the state of the earlier run, then serves. */
import os from 'node:os';
import path from 'node:path';
import type { ContainerRuntime } from '../cri/index.ts';
import { RunGroup, type Context, makeDirectorySync } from '../kernel/index.ts';
import { buildImage, type BuildOptions } from './build/build-image.ts';
import { ContainerEvents } from './container-events.ts';
import { ExitWaiters } from './containers/exit-waiters.ts';
import { watchExits } from './containers/watch-exits.ts';
import { hostFeatures } from './host-features.ts';
import { openImageStore, type ImageStore, type StoredImage } from './images/index.ts';
import type { OciRuntime } from './oci-runtime.ts';
import type { ContainerRuntimeOptions } from './options.ts';
import { locateProgram } from './programs.ts';
import type { ContainerRecord } from './records/container-record.ts';
import { KeyedLock } from './records/keyed-lock.ts';
import { RecordStore } from './records/record-store.ts';
import type { SandboxRecord } from './records/sandbox-record.ts';
import { recover } from './recover.ts';
import type { RuntimeParts } from './runtime-parts.ts';
import { runtimeService } from './runtime-service.ts';
import { StatePaths } from './state-paths.ts';
import { openCgroupTree } from './stats/cgroup-tree.ts';
import { StatsProvider } from './stats/stats-provider.ts';
import { StreamingServer } from './streaming/streaming-server.ts';

export interface RunningContainerRuntime extends ContainerRuntime {
  /** The image store, for operations that CRI has no call for, such as loading archives. */
  readonly imageStore: ImageStore;
  /** Builds an image from a Dockerfile, whose commands run in containers of the default handler. */
  buildImage(options: BuildOptions): Promise<StoredImage>;
  /** Where exec, attach and port-forward are served. */
  readonly streamingUrl: string;
  /** Resolves when the runtime has shut down, after the context's signal aborts. Containers keep running. */
  readonly finished: Promise<void>;
  /** What of it has not ended yet. */
  running(): readonly string[];
}

export async function startContainerRuntime(
  ctx: Context,
  options: ContainerRuntimeOptions,
): Promise<RunningContainerRuntime> {
  const group = new RunGroup({ signal: ctx.signal, logger: ctx.logger });
  const parts = await assemble(ctx, options, group);
  await recover(parts);
  const stats = new StatsProvider(parts);
  let builds = 0;
  const streaming = await StreamingServer.listen(parts, options.streamingAddress ?? { host: '127.0.0.1', port: 0 });
  group.start('watch container exits', (signal) => watchExits(parts, signal));
  group.start('serve streams', (signal) => streaming.until(signal));
  return {
    runtime: runtimeService(parts, stats, streaming),
    images: parts.images.service,
    imageStore: parts.images,
    buildImage: (build) =>
      buildImage(
        {
          images: parts.images,
          runtime: parts.handlers.get(parts.defaultHandler)!,
          workDirectory: path.join(parts.rootDirectory, `build-${builds++}`),
          ...(parts.host.limits ? { cgroup: `${parts.defaultCgroupParent}/builds` } : {}),
        },
        build,
      ),
    streamingUrl: streaming.url,
    finished: closed(group, parts.images),
    running: () => group.running,
  };
}

async function assemble(ctx: Context, options: ContainerRuntimeOptions, group: RunGroup): Promise<RuntimeParts> {
  const { rootDirectory, stateDirectory } = options;
  const paths = new StatePaths(stateDirectory);
  const handlers = locateHandlers(options, paths);
  const conmon = locateProgram(options.conmon ?? 'conmon', 'it holds the output and the exit codes of containers');
  for (const directory of [rootDirectory, stateDirectory, paths.sandboxes, paths.containers, paths.exits])
    makeDirectorySync(directory, { mode: 0o711 });
  const sandboxes = new RecordStore<SandboxRecord>(path.join(rootDirectory, 'sandboxes'));
  const containers = new RecordStore<ContainerRecord>(path.join(rootDirectory, 'containers'));
  sandboxes.load();
  containers.load();
  const cgroups = openCgroupTree();
  return {
    ...{ ctx, rootDirectory, paths, sandboxes, containers, handlers, conmon, cgroups },
    defaultHandler: options.defaultHandler ?? 'runc',
    images: await openImageStore(ctx, { root: path.join(rootDirectory, 'images'), ...options.images }),
    network: options.network,
    locks: new KeyedLock(),
    events: new ContainerEvents(),
    exits: new ExitWaiters(),
    host: hostFeatures(cgroups, { limits: options.limits ?? true }),
    systemdCgroups: options.cgroupDriver === 'systemd',
    defaultCgroupParent: options.cgroupParent ?? (options.cgroupDriver === 'systemd' ? 'k8ts.slice' : '/k8ts'),
    nodeNetns: options.nodeNetns,
    nodeHostname: options.nodeHostname ?? os.hostname(),
    cdiDirectories: options.cdiDirectories ?? ['/etc/cdi', '/var/run/cdi'],
    background(what, work) {
      group.start(what, async () => {
        try {
          await work();
        } catch (error) {
          ctx.logger.error(error, 'Background work failed', { work: what });
        }
      });
    },
  };
}

function locateHandlers(options: ContainerRuntimeOptions, paths: StatePaths): Map<string, OciRuntime> {
  const handlers = options.handlers ?? { runc: { path: 'runc' } };
  return new Map(
    Object.entries(handlers).map(([handler, { path: program }]) => {
      const root = paths.ociRoot(handler);
      const globalArguments = ['--root', root, ...(options.cgroupDriver === 'systemd' ? ['--systemd-cgroup'] : [])];
      return [
        handler,
        {
          handler,
          path: locateProgram(program, `it runs the containers of the handler ${handler}`),
          root,
          globalArguments,
        },
      ];
    }),
  );
}

async function closed(group: RunGroup, images: ImageStore): Promise<void> {
  try {
    await group.wait();
  } finally {
    await images.close();
  }
}
