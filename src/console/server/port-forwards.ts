/**
 * Ports of pods, opened on this machine by a click and forwarded through the API server as the user of the session.
 *
 * Pages of a pod are not to be trusted, so they get an address of their own: browsers keep cookies by host without its port,
 * and the console's would be sent along to any port of 127.0.0.1. Everything in 127.0.0.0/8 is this machine, so forwarded ports
 * listen on another address there. Where the system knows 127.0.0.1 only, the link says localhost, which has cookies of
 * its own; a page that leads the browser from there to 127.0.0.1 gets the cookie, which is nothing without the proof.
 */
import net from 'node:net';
import type { WebSocket } from 'ws';
import { errorMessage } from '../../base/index.ts';
import { connect } from '../../client/index.ts';
import type { Context } from '../../kernel/index.ts';
import { failure } from '../../machinery/errors/index.ts';
import type { ApiProxy } from './api-proxy.ts';
import { podPortOf, type ForwardTarget } from './forward-target.ts';
import type { Session, Sessions } from './sessions.ts';

const MAX_FORWARDS = 32;
const MAX_CONNECTIONS = 128;
const PROTOCOL = 'v4.channel.k8s.io';
/** Of the only port of a WebSocket. */
const DATA_CHANNEL = 0;

interface Forward {
  readonly id: string;
  readonly session: Session;
  readonly target: ForwardTarget;
  readonly server: net.Server;
  readonly url: string;
  readonly connections: Set<net.Socket>;
  /** Why the newest connection failed. */
  problem?: string;
}

/** A forwarded port as the pages see it. */
interface ShownForward extends ForwardTarget {
  readonly id: string;
  readonly url: string;
  readonly problem?: string;
}

export class PortForwards {
  readonly #ctx: Context;
  readonly #proxy: ApiProxy;
  readonly #sessions: Sessions;
  readonly #forwards = new Map<string, Forward>();
  /** The same for all forwards of this console, so that a link stays within one site. */
  readonly #address: string;
  #next = 1;

  constructor(ctx: Context, { proxy, sessions }: { proxy: ApiProxy; sessions: Sessions }) {
    this.#ctx = ctx;
    this.#proxy = proxy;
    this.#sessions = sessions;
    const [a = 0, b = 0, c = 0] = ctx.random.bytes(3);
    this.#address = `127.${64 + (a % 128)}.${b}.${1 + (c % 254)}`;
  }

  /** Those of a session; the ports of others are not its business. */
  list(session: Session): ShownForward[] {
    this.closeEnded();
    return [...this.#forwards.values()].filter((each) => each.session === session).map(shown);
  }

  /** Throws what the API server says where the user may not forward the port. */
  async open(session: Session, target: ForwardTarget): Promise<ShownForward> {
    this.closeEnded();
    const same = (each: ForwardTarget): boolean => JSON.stringify(each) === JSON.stringify(target);
    const existing = [...this.#forwards.values()].find((each) => each.session === session && same(each.target));
    if (existing) return shown(existing);
    if (this.#forwards.size >= MAX_FORWARDS)
      throw failure(429, 'TooManyRequests', `At most ${MAX_FORWARDS} ports are forwarded at a time: close one.`, {});
    (await this.#connect(session, target)).terminate();
    const server = net.createServer({ pauseOnConnect: true });
    server.maxConnections = MAX_CONNECTIONS;
    const host = await listenOn(server, [this.#address, '127.0.0.1']);
    const { port } = server.address() as net.AddressInfo;
    const forward: Forward = {
      id: String(this.#next++),
      session,
      target,
      server,
      url: `http://${host === '127.0.0.1' ? 'localhost' : host}:${port}/`,
      connections: new Set(),
    };
    server.on('connection', (socket) => void this.#serve(forward, socket));
    this.#forwards.set(forward.id, forward);
    return shown(forward);
  }

  close(session: Session, id: string): void {
    const forward = this.#forwards.get(id);
    if (forward?.session === session) this.#end(forward);
  }

  closeAll(): void {
    for (const forward of this.#forwards.values()) this.#end(forward);
  }

  /** Those of sessions that have ended. */
  closeEnded(): void {
    for (const forward of this.#forwards.values()) if (!this.#sessions.isOpen(forward.session)) this.#end(forward);
  }

  #end({ id, server, connections }: Forward): void {
    this.#forwards.delete(id);
    server.close();
    for (const socket of connections) socket.destroy();
  }

  async #serve(forward: Forward, socket: net.Socket): Promise<void> {
    const { connections, session, target } = forward;
    connections.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => connections.delete(socket));
    if (!this.#sessions.isOpen(session)) return this.#end(forward);
    try {
      const pod = await this.#connect(session, target);
      delete forward.problem;
      joinSockets(socket, pod);
    } catch (error) {
      forward.problem = errorMessage(error);
      socket.destroy();
    }
  }

  async #connect(session: Session, target: ForwardTarget): Promise<WebSocket> {
    const client = connect(this.#ctx, session.config);
    try {
      const { namespace, pod, port } = await podPortOf(client, target);
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/portforward`;
      return await this.#proxy.connect(session.config, `${path}?ports=${port}`, PROTOCOL);
    } finally {
      await client.close();
    }
  }
}

const shown = ({ id, target, url, problem }: Forward): ShownForward => ({
  id,
  url,
  ...target,
  ...(problem === undefined ? {} : { problem }),
});

/** The first address that this machine has. */
async function listenOn(server: net.Server, addresses: readonly string[]): Promise<string> {
  for (const address of addresses) {
    const failed = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      server.once('error', resolve);
      server.listen(0, address, () => {
        server.off('error', resolve);
        resolve(undefined);
      });
    });
    if (failed === undefined) return address;
    if (failed.code !== 'EADDRNOTAVAIL') throw failed;
  }
  throw new Error(`this machine has none of ${addresses.join(', ')}`);
}

/** Copies in both directions, each as fast as the other side reads. Messages of a WebSocket begin with their channel. */
function joinSockets(socket: net.Socket, pod: WebSocket): void {
  const greeted = new Set<number>();
  pod.on('message', (message: Buffer) => {
    const channel = message[0]!;
    // The first message of each channel is the port.
    if (!greeted.has(channel)) return void greeted.add(channel);
    if (channel !== DATA_CHANNEL) return pod.close();
    if (socket.write(message.subarray(1))) return;
    pod.pause();
    socket.once('drain', () => pod.resume());
  });
  pod.on('error', () => socket.destroy()).on('close', () => socket.end());
  socket.on('data', (data: Buffer) => {
    socket.pause();
    pod.send(Buffer.concat([Buffer.from([DATA_CHANNEL]), data]), () => socket.resume());
  });
  socket.once('close', () => pod.close());
  if (socket.destroyed) pod.close();
  pod.resume();
  socket.resume();
}
