/** `k8ts up` of an ordinary user: starts itself again as root of namespaces, and waits for its end. */
import { once } from 'node:events';
import { runInNamespaces, wayOutRemedy } from '../cluster/index.ts';
import { createContext, RealClock } from '../kernel/index.ts';
import { CommandError } from './command.ts';
import { printReady, secondsSinceProcessStart, type Ready } from './ready.ts';
import type { ServiceNotifier } from './service-notifier.ts';

interface RootlessOptions {
  readonly runtimeDirectory: string;
  readonly socket: string;
  readonly output: string;
  readonly ephemeral: boolean;
  readonly egress: boolean;
  readonly notifier: ServiceNotifier;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Returns the exit code of the cluster, which has printed its error itself. */
export async function upRootless(argv: readonly string[], options: RootlessOptions): Promise<number> {
  const { runtimeDirectory, socket, output, ephemeral } = options;
  const remedy = options.egress ? wayOutRemedy() : undefined;
  if (remedy !== undefined)
    throw new CommandError(`without root, --egress needs pasta or slirp4netns, and /dev/net/tun: ${remedy}`);
  const child = await runInNamespaces({
    program: [process.execPath, ...process.execArgv, process.argv[1]!, 'up', ...argv],
    inside: { pid: process.pid, runtimeDirectory, socket },
    // Process ids are small inside, and name what is in the folder of temporary files.
    environment: ephemeral ? { TMPDIR: runtimeDirectory } : {},
    warn: (message) => console.error(message),
  });
  child.on('message', (message: { ready?: Ready; failed?: string } | null) => {
    if (message?.ready) {
      const ready = {
        ...message.ready,
        pid: process.pid,
        readySeconds: secondsSinceProcessStart(new RealClock()),
      };
      printReady(output, ready);
      process.send?.({ ready });
      options.notifier.ready(createContext(), `API server ${ready.server}`);
    } else if (message?.failed !== undefined) process.send?.({ failed: message.failed });
  });
  const stop = (): void => void (child.connected && child.send({ stop: true }, () => undefined));
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
