/**
 * What a service tells systemd (sd_notify(3)): that it is ready, that it stops, and, while its event loop turns, that it is
 * alive.
 */
import { errorMessage } from '../base/index.ts';
import type { Context } from '../kernel/index.ts';
import { sendUnixDatagram } from '../net/netns/index.ts';

export interface ServiceNotifier {
  /** Whether systemd runs this process. */
  readonly isService: boolean;
  /** Tells that the service is ready; from then on the watchdog hears of it until the context ends. */
  ready(ctx: Context, status: string): void;
}

const SILENT: ServiceNotifier = { isService: false, ready: () => undefined };

/** systemd expects a sign of life within the interval; half of it is what sd_watchdog_enabled(3) recommends. */
const WATCHDOG_FRACTION = 2;

/**
 * Takes the variables out of the environment: runc would hand the socket to containers, and no child of ours speaks for
 * the service.
 */
export function takeServiceNotifier(environment: NodeJS.ProcessEnv = process.env): ServiceNotifier {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: interval, WATCHDOG_PID: watched } = environment;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name];
  if (socket === undefined || process.platform !== 'linux') return SILENT;
  const isWatched = watched === undefined || Number(watched) === process.pid;
  const watchdogMs = isWatched && interval !== undefined ? Number(interval) / 1000 / WATCHDOG_FRACTION : 0;
  return {
    isService: true,
    ready(ctx, status) {
      const notify = (state: string): void => {
        try {
          sendUnixDatagram(socket, state);
        } catch (error) {
          ctx.logger.error(error, 'Failed to notify systemd', { socket, err: errorMessage(error) });
        }
      };
      notify(`READY=1\nSTATUS=${status.replaceAll('\n', ' ')}\n`);
      const alive = watchdogMs > 0 ? ctx.clock.every(watchdogMs, () => notify('WATCHDOG=1\n')) : undefined;
      ctx.signal.addEventListener(
        'abort',
        () => {
          alive?.cancel();
          notify('STOPPING=1\n');
        },
        { once: true },
      );
    },
  };
}
