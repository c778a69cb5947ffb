/** A device plugin with two devices, which registers with each kubelet that it is told of. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connectGrpc, GrpcServer } from '../../src/grpc/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import {
  descriptor,
  PACKAGE,
  type DevicePlugin as Service,
  type Registration,
} from '../../src/kubelet/devices/device-plugin-v1beta1.generated.ts';

const CONTRACT = { package: PACKAGE, descriptor };
export const RESOURCE = 'example.com/thing';
export const DEVICES = ['thing-1', 'thing-2'];

export class DevicePlugin {
  /** The device ids of each call of Allocate. */
  readonly allocated: string[] = [];
  readonly #directory: string;
  #server: GrpcServer | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** A kubelet removes the sockets of plugins when it starts. */
  async register(): Promise<void> {
    this.close();
    const kubelet = join(this.#directory, 'kubelet.sock');
    const server = new GrpcServer().add(CONTRACT, 'DevicePlugin', this.#service());
    this.#server = server;
    await until('the kubelet accepts the plugin', () => this.#tryRegister(server, kubelet), {
      limitMs: 60_000,
      intervalMs: 500,
    });
  }

  close(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  async #tryRegister(server: GrpcServer, socket: string): Promise<boolean> {
    if (!existsSync(socket)) return false;
    const endpoint = join(this.#directory, 'thing.sock');
    if (!existsSync(endpoint)) await server.listen(`unix://${endpoint}`);
    const kubelet = connectGrpc(socket);
    try {
      await kubelet
        .service<Registration>(CONTRACT, 'Registration')
        .register({ version: 'v1beta1', endpoint: 'thing.sock', resourceName: RESOURCE });
      return true;
    } catch {
      return false;
    } finally {
      kubelet.close();
    }
  }

  #service(): Service {
    const { allocated } = this;
    return {
      getDevicePluginOptions: () => Promise.resolve({}),
      async *listAndWatch(_request, options) {
        yield { devices: DEVICES.map((ID) => ({ ID, health: 'Healthy' })) };
        await new Promise<void>((resolve) =>
          options?.signal?.addEventListener('abort', () => resolve(), { once: true }),
        );
      },
      getPreferredAllocation: () => Promise.resolve({}),
      allocate({ containerRequests = [] }) {
        const ids = containerRequests.flatMap(({ devicesIds = [] }) => devicesIds);
        allocated.push(ids.join());
        return Promise.resolve({ containerResponses: [{ envs: { THING: ids.join() } }] });
      },
      preStartContainer: () => Promise.resolve({}),
    };
  }
}
