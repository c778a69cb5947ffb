/**
 * The user's network, for the process in the namespaces: it asks the process outside over IPC, and gets the sockets.
 *
 *   inside  {hostNetwork: {id, listen: {host, port}}}     outside  {hostNetwork: {id, port}}
 *                                                                  {hostNetwork: {id, connection: true}} + socket, each time
 *           {hostNetwork: {id, connect: {host, port}}}             {hostNetwork: {id}} + socket
 *           {hostNetwork: {id, close: true}}                       {hostNetwork: {id, error}} instead, if it failed
 */
import net from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface HostListener {
  readonly port: number;
  close(): void;
}

export interface HostNetwork {
  /** Listens on an address of the user. Fails with the error code of the system, such as EADDRINUSE. */
  listen(address: Address, onConnection: (socket: net.Socket) => void): Promise<HostListener>;
  /** A connection from the user's network, to a name or an address. */
  connect(address: Address): Promise<net.Socket>;
}

export interface HostNetworkRequest {
  readonly id: number;
  readonly listen?: Address;
  readonly connect?: Address;
  readonly close?: true;
}

export interface HostNetworkAnswer {
  readonly id: number;
  readonly port?: number;
  readonly connection?: true;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface HostNetworkMessage<Body> {
  readonly hostNetwork: Body;
}

interface Waiting {
  readonly settle: (answer: HostNetworkAnswer, socket: net.Socket | undefined) => void;
  readonly onConnection?: (socket: net.Socket) => void;
}

/** The user's network by the IPC channel of this process. */
export function connectHostNetwork(channel: NodeJS.Process = process): HostNetwork {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const send = (request: HostNetworkRequest): void =>
    void channel.send?.({ hostNetwork: request } satisfies HostNetworkMessage<HostNetworkRequest>);
  channel.on('message', (message: Partial<HostNetworkMessage<HostNetworkAnswer>> | null, handle: unknown) => {
    const answer = message?.hostNetwork;
    const known = answer && waiting.get(answer.id);
    const socket = handle instanceof net.Socket ? handle : undefined;
    if (known === undefined) socket?.destroy();
    else if (answer!.connection) {
      // The client may have left before its socket arrived.
      if (socket) known.onConnection?.(socket);
    } else known.settle(answer!, socket);
  });
  const ask = (
    request: Omit<HostNetworkRequest, 'id'>,
    onConnection?: (socket: net.Socket) => void,
  ): Promise<{ id: number; answer: HostNetworkAnswer; socket: net.Socket | undefined }> =>
    new Promise((resolve, reject) => {
      const id = ++last;
      const settle: Waiting['settle'] = (answer, socket) => {
        if (answer.error || onConnection === undefined) waiting.delete(id);
        if (answer.error) reject(systemError(answer.error, request.listen ?? request.connect));
        else resolve({ id, answer, socket });
      };
      waiting.set(id, { settle, ...(onConnection ? { onConnection } : {}) });
      send({ ...request, id });
    });
  return {
    async listen(address, onConnection) {
      const { id, answer } = await ask({ listen: address }, onConnection);
      return {
        port: answer.port ?? address.port,
        close: () => {
          waiting.delete(id);
          send({ id, close: true });
        },
      };
    },
    async connect(address) {
      const { socket } = await ask({ connect: address });
      if (!socket) throw systemError({ code: 'ECONNRESET', message: 'the connection was closed at once' }, address);
      return socket;
    },
  };
}

function systemError(
  { code, message }: { readonly code: string; readonly message: string },
  address: Address | undefined,
): Error {
  return Object.assign(new Error(message), { code, address: address?.host, port: address?.port });
}
