/** Runs the container runtime as a component of its own: serves CRI on a Unix socket. */
import fs from 'node:fs';
import path from 'node:path';
import { serveRuntime } from '../cri/index.ts';
import type { Context } from '../kernel/index.ts';
import { listenOnSocket } from './listen-on-socket.ts';
import type { ContainerRuntimeOptions } from './options.ts';
import { startContainerRuntime, type RunningContainerRuntime } from './start-container-runtime.ts';

interface ContainerRuntimeConfig extends ContainerRuntimeOptions {
  /** The socket's path, with or without `unix://`. */
  readonly listen: string;
  readonly onReady?: (runtime: RunningContainerRuntime) => void;
}

/** Runs until the context's signal aborts. Containers keep running. */
export async function run(ctx: Context, config: ContainerRuntimeConfig): Promise<void> {
  const socket = config.listen.replace(/^unix:\/\//, '');
  if (!path.isAbsolute(socket))
    throw new Error(`the socket ${JSON.stringify(config.listen)} is not given by an absolute path`);
  const runtime = await startContainerRuntime(ctx, config);
  const server = serveRuntime(runtime);
  try {
    await listenOnSocket(server, socket);
    config.onReady?.(runtime);
    await runtime.finished;
  } finally {
    server.close();
    fs.rmSync(socket, { force: true });
  }
}
