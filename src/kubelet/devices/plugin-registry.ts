/**
 * The plugin watcher: a CSI driver, DRA driver or device plugin registers by a socket in `plugins_registry`. The
 * kubelet calls its GetInfo, hands it to the handler of its type, and reports the outcome with
 * NotifyRegistrationStatus.
 */
import { watch } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { connectGrpc } from '../../grpc/index.ts';
import { childContext, type Context, makeDirectory } from '../../kernel/index.ts';
import { pathOnNode, type KubeletRoot } from '../published-root.ts';
import { descriptor, PACKAGE, type PluginInfo, type Registration } from './plugin-registration-v1.generated.ts';

interface PluginHandler {
  /** Throws when the plugin cannot be used; the plugin gets the message. */
  register(plugin: {
    readonly name: string;
    readonly endpoint: string;
    readonly versions: readonly string[];
  }): Promise<void>;
  deregister(name: string): Promise<void>;
}

const RESYNC_MS = 10_000;
const CALL_TIMEOUT_MS = 10_000;

export class PluginRegistry {
  readonly #ctx: Context;
  readonly #root: KubeletRoot;
  readonly #directory: string;
  readonly #handlers = new Map<string, PluginHandler>();
  readonly #registered = new Map<string, { type: string; name: string; mtimeMs: number }>();

  constructor(ctx: Context, root: KubeletRoot) {
    this.#ctx = childContext(ctx, 'plugins');
    this.#root = root;
    this.#directory = path.join(root.rootDirectory, 'plugins_registry');
  }

  handle(type: 'CSIPlugin' | 'DevicePlugin' | 'DRAPlugin', handler: PluginHandler): void {
    this.#handlers.set(type, handler);
  }

  async run(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    await makeDirectory(this.#directory, { mode: 0o750 });
    let notify = (): void => {};
    const watcher = watch(this.#directory, { persistent: false }, () => notify());
    watcher.on('error', () => {});
    try {
      while (!signal.aborted) {
        await this.#sync().catch((error: unknown) => logger.error(error, 'Failed to sync plugin registrations'));
        const changed = new Promise<void>((resolve) => (notify = resolve));
        await Promise.race([changed, clock.sleep(RESYNC_MS, signal).catch(() => {})]);
      }
    } finally {
      watcher.close();
    }
  }

  async #sync(): Promise<void> {
    const sockets = new Map<string, number>();
    for (const name of await fs.readdir(this.#directory, { recursive: true })) {
      const full = path.join(this.#directory, name);
      const stat = await fs.stat(full).catch(() => undefined);
      if (stat?.isSocket() === true) sockets.set(full, stat.mtimeMs);
    }
    for (const [socket, { type, name, mtimeMs }] of this.#registered) {
      if (sockets.get(socket) === mtimeMs) continue;
      this.#registered.delete(socket);
      await this.#handlers.get(type)?.deregister(name);
    }
    for (const [socket, mtimeMs] of sockets) if (!this.#registered.has(socket)) await this.#register(socket, mtimeMs);
  }

  async #register(socket: string, mtimeMs: number): Promise<void> {
    const connection = connectGrpc(socket);
    const signal = this.#ctx.clock.deadline(CALL_TIMEOUT_MS, this.#ctx.signal);
    const registration = connection.service<Registration>({ package: PACKAGE, descriptor }, 'Registration');
    try {
      const {
        type = '',
        name = '',
        endpoint = '',
        supportedVersions = [],
      }: PluginInfo = await registration.getInfo({}, { signal });
      const handler = this.#handlers.get(type);
      try {
        if (handler === undefined)
          throw new Error(`no handler registered for plugin type: ${type} at socket ${socket}`);
        await handler.register({
          name,
          endpoint: pathOnNode(this.#root, endpoint) || socket,
          versions: supportedVersions,
        });
        await registration.notifyRegistrationStatus({ pluginRegistered: true }, { signal });
        this.#registered.set(socket, { type, name, mtimeMs });
      } catch (error) {
        await registration.notifyRegistrationStatus(
          {
            pluginRegistered: false,
            error: `RegisterPlugin error -- plugin registration failed with err: ${errorMessage(error)}`,
          },
          { signal },
        );
      }
    } catch (error) {
      this.#ctx.logger.v(2).info('Failed to register plugin', { socket, err: errorMessage(error) });
    } finally {
      connection.close();
    }
  }
}
