/**
 * A node's network namespace with pods and clients around it, for a kube-proxy of either side:
 *
 *     outside 192.168.50.2 ── 192.168.50.1 node ── pod-a 10.244.0.2, pod-b 10.244.0.3, client 10.244.0.4
 */
import { once } from 'node:events';
import net from 'node:net';
import type { Clock } from '../../src/kernel/index.ts';
import { connectIn, listenIn, runIn, writeSysctl } from '../../src/net/netns/index.ts';
import { TestNamespaces } from '../../src/net/netns/testing/index.ts';

export const NODE_ADDRESS = '192.168.50.1';
export const PODS = { 'pod-a': '10.244.0.2', 'pod-b': '10.244.0.3' } as const;
const LINKS = { outside: '192.168.50.2', ...PODS, client: '10.244.0.4' } as const;
const GATEWAYS: Partial<Record<Place, string>> = { outside: NODE_ADDRESS };
const POD_GATEWAY = '169.254.1.1';
const CALL_LIMIT_MS = 3000;
const PAUSE_MS = 15;

export type Place = keyof typeof LINKS | 'node';

/** What happened to calls that were made one after the other. */
export interface Calls {
  made: number;
  readonly failures: string[];
}

export class NodeNetwork {
  readonly #namespaces = new TestNamespaces();
  readonly #netns = new Map<Place, string>();
  readonly #servers: net.Server[] = [];
  readonly #clock: Clock;

  private constructor(clock: Clock) {
    this.#clock = clock;
  }

  static async create(clock: Clock): Promise<NodeNetwork> {
    const network = new NodeNetwork(clock);
    await network.#link();
    for (const pod of ['pod-a', 'pod-b'] as const) await network.#serve(pod);
    return network;
  }

  /** The file of a namespace, for nsenter. */
  file(place: Place): string {
    return this.#netns.get(place)!;
  }

  /** Makes a port of this process's own loopback reachable at the same place on the node. */
  async relay(port: number): Promise<void> {
    const server = net.createServer((inside) => {
      const outside = net.connect(port, '127.0.0.1');
      for (const [from, to] of [
        [inside, outside],
        [outside, inside],
      ] as const) {
        from.on('error', () => to.destroy());
        from.pipe(to);
      }
    });
    await listenIn(server, { netns: this.file('node'), host: '127.0.0.1', port });
    this.#servers.push(server);
  }

  /** The name of the pod that answers, or what went wrong. */
  async call(from: Place, host: string, port: number): Promise<string> {
    const socket = connectIn({ netns: this.file(from), host, port, signal: this.#clock.deadline(CALL_LIMIT_MS) });
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.endsWith('\n')) socket.end();
    });
    socket.on('connect', () => socket.write('name\n'));
    const failed = once(socket, 'error').then(([error]) => (error as NodeJS.ErrnoException).code ?? String(error));
    const closed = once(socket, 'close').then(() => text.trim() || 'closed');
    return Promise.race([failed, closed]).catch((error: Error) => error.message);
  }

  /** Calls again and again until the signal aborts. */
  async callUntil(signal: AbortSignal, from: Place, host: string, port: number): Promise<Calls> {
    const calls: Calls = { made: 0, failures: [] };
    while (!signal.aborted) {
      const answer = await this.call(from, host, port);
      calls.made++;
      if (!(answer in PODS)) calls.failures.push(`${from} to ${host}:${port}: ${answer}`);
      await this.#clock.sleep(PAUSE_MS);
    }
    return calls;
  }

  /** A connection that stays open and is used all the time; what went wrong with it, undefined if nothing did. */
  async keepOpen(signal: AbortSignal, from: Place, host: string, port: number): Promise<string | undefined> {
    const socket = connectIn({ netns: this.file(from), host, port });
    try {
      await once(socket, 'connect');
      while (!signal.aborted) {
        socket.write('name\n');
        const [bytes] = (await once(socket, 'data', { signal: this.#clock.deadline(CALL_LIMIT_MS) })) as [Buffer];
        if (!(bytes.toString().trim() in PODS)) return `answered ${bytes.toString()}`;
        await this.#clock.sleep(50);
      }
      return undefined;
    } catch (error) {
      return String(error);
    } finally {
      socket.destroy();
    }
  }

  close(): void {
    for (const server of this.#servers) server.close();
    this.#namespaces.close();
  }

  async #link(): Promise<void> {
    const node = this.#namespaces.create('node');
    this.#netns.set('node', node);
    const ip = (netns: string, command: string): Promise<string> => runIn('ip', command.split(' '), { netns });
    writeSysctl(node, 'net.ipv4.ip_forward', '1');
    await ip(node, 'link set lo up');
    // Packets to Services that nobody forwards have a way out, as on a machine with a default route, and are lost there.
    await ip(node, 'link add void type bridge');
    await ip(node, 'link set void up');
    await ip(node, 'addr add 192.0.2.1/32 dev void');
    await ip(node, 'route add default dev void');
    for (const [place, address] of Object.entries(LINKS) as [Place, string][]) {
      const there = this.#namespaces.create(place);
      const gateway = GATEWAYS[place] ?? POD_GATEWAY;
      this.#netns.set(place, there);
      await ip(node, `link add v-${place} type veth peer name eth0 netns ${there}`);
      await ip(there, 'link set lo up');
      await ip(there, 'link set eth0 up');
      await ip(node, `link set v-${place} up`);
      await ip(node, `addr add ${gateway}/32 dev v-${place}`);
      await ip(node, `route add ${address}/32 dev v-${place}`);
      await ip(there, `addr add ${address}/32 dev eth0`);
      await ip(there, `route add ${gateway}/32 dev eth0 scope link`);
      await ip(there, `route add default via ${gateway}`);
    }
  }

  /** Answers every line with the pod's name. */
  async #serve(pod: keyof typeof PODS): Promise<void> {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.write(`${pod}\n`));
      socket.on('end', () => socket.end());
    });
    await listenIn(server, { netns: this.file(pod), host: '0.0.0.0', port: 8080 });
    this.#servers.push(server);
  }
}
