/** Which machines of the link are alive: each tells the others, several times a second. */
import dgram from 'node:dgram';
import type { Clock } from '../../kernel/index.ts';

/** UDP */
const PORT = 10_054;
/** A machine that was not heard for this long is dead. */
const SILENCE_MS = 1000;

export interface Peer {
  readonly name: string;
  readonly address: string;
}

export class Heartbeats {
  readonly #clock: Clock;
  readonly #socket: dgram.Socket;
  readonly #heard = new Map<string, number>();

  private constructor(clock: Clock, socket: dgram.Socket) {
    this.#clock = clock;
    this.#socket = socket;
    // Who speaks is told by the packet's source, which pods cannot forge.
    socket.on('message', (_, { address }) => this.#heard.set(address, clock.monotonic()));
    socket.on('error', () => {});
  }

  static async open(clock: Clock, address: string): Promise<Heartbeats> {
    const socket = dgram.createSocket(address.includes(':') ? 'udp6' : 'udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address, port: PORT, exclusive: true }, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    return new Heartbeats(clock, socket);
  }

  /** A link that is down refuses; the others notice the silence. */
  send(peers: readonly Peer[]): void {
    for (const { address } of peers) this.#socket.send(Buffer.from('k8ts'), PORT, address, () => {});
  }

  isAlive({ address }: Peer): boolean {
    return this.#clock.monotonic() - (this.#heard.get(address) ?? -Infinity) < SILENCE_MS;
  }

  close(): void {
    this.#socket.close();
  }
}
