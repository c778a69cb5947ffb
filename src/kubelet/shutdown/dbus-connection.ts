/** A D-Bus connection, to talk to logind: method calls, signals, and incoming calls for tests. */
import net from 'node:net';
import { decodeMessage, encodeMessage, type DbusMessage, type DbusValue } from './dbus-message.ts';

interface DbusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly DbusValue[];
}

const BUS = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };

class DbusError extends Error {
  override readonly name = 'DbusError';
  /** Such as `org.freedesktop.DBus.Error.ServiceUnknown`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export class DbusConnection {
  readonly #socket: net.Socket;
  readonly #waiting = new Map<number, { resolve(body: readonly DbusValue[]): void; reject(error: Error): void }>();
  readonly #listeners = new Set<(message: DbusMessage) => void>();
  #received: Buffer = Buffer.alloc(0);
  #serial = 0;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    void this.closed.then(() => {
      for (const { reject } of this.#waiting.values())
        reject(new DbusError('disconnected', 'the message bus closed the connection'));
      this.#waiting.clear();
    });
  }

  /** `address`: the path of the bus's socket. */
  static async open(address: string): Promise<DbusConnection> {
    const socket = net.connect(address);
    const connection = new DbusConnection(socket);
    try {
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      await connection.#authenticate();
      await connection.#callBus('Hello');
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  call({ body = [], ...call }: DbusCall): Promise<readonly DbusValue[]> {
    const serial = ++this.#serial;
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new DbusError('disconnected', 'the message bus closed the connection'));
        return;
      }
      this.#waiting.set(serial, { resolve, reject });
      this.#socket.write(encodeMessage({ type: 'call', serial, ...call, body }));
    });
  }

  send(message: Omit<DbusMessage, 'serial'>): void {
    this.#socket.write(encodeMessage({ ...message, serial: ++this.#serial }));
  }

  /** Subscribes to signals that match the rule, e.g. `type='signal',member='X'`. */
  async addMatch(rule: string): Promise<void> {
    await this.#callBus('AddMatch', 's', [rule]);
  }

  async requestName(name: string): Promise<void> {
    await this.#callBus('RequestName', 'su', [name, 0]);
  }

  /** Called for every signal and incoming method call. */
  listen(listener: (message: DbusMessage) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#socket.destroy();
  }

  #callBus(member: string, signature = '', body: readonly DbusValue[] = []): Promise<readonly DbusValue[]> {
    return this.call({ ...BUS, member, signature, body });
  }

  /** SASL EXTERNAL: the bus reads our user from the socket's credentials. */
  async #authenticate(): Promise<void> {
    const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
    const socket = this.#socket;
    const answer = new Promise<string>((resolve, reject) => {
      let text = '';
      const read = (data: Buffer): void => {
        text += data.toString();
        if (!text.includes('\r\n')) return;
        socket.off('data', read);
        resolve(text.trim());
      };
      socket
        .on('data', read)
        .once('error', reject)
        .once('close', () => reject(new DbusError('disconnected', 'the message bus closed the connection')));
    });
    socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
    const line = await answer;
    if (!line.startsWith('OK ')) throw new DbusError('refused', `the message bus rejected the authentication: ${line}`);
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => this.#read(data));
    socket.write('BEGIN\r\n');
  }

  #read(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data]);
    try {
      for (
        let decoded = decodeMessage(this.#received);
        decoded !== undefined;
        decoded = decodeMessage(this.#received)
      ) {
        this.#received = this.#received.subarray(decoded.length);
        this.#handle(decoded.message);
      }
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }

  #handle(message: DbusMessage): void {
    if (message.type === 'signal' || message.type === 'call') {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const waiting = this.#waiting.get(message.replySerial ?? 0);
    this.#waiting.delete(message.replySerial ?? 0);
    if (message.type === 'answer') waiting?.resolve(message.body);
    else waiting?.reject(new DbusError(message.errorName ?? 'error', String(message.body[0] ?? message.errorName)));
  }
}
