import { once } from 'node:events';
import net from 'node:net';

/** A TCP proxy whose connections can be cut at any time, as a network does. */
export interface SeverableProxy {
  readonly server: string;
  /** Breaks every connection that is open now. */
  sever(): void;
  close(): Promise<void>;
}

export async function severable(port: number): Promise<SeverableProxy> {
  const open = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sever = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    server: `https://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    sever,
    async close() {
      sever();
      server.close();
      await once(server, 'close');
    },
  };
}
