/** The way out of the network namespace: pasta or slirp4netns, where one of them is installed. */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { wayOutProgram, wayOutRemedy } from './obstacles.ts';

interface WayOut {
  /** Where names are resolved inside. */
  readonly nameserver: string;
  /** Connects the namespaces of the program that the child has started. */
  connect(child: ChildProcess, ended: (message: string) => void): void;
}

/** Neither lets the namespaces reach the user's loopback; ports come in by `host-network.ts` alone. */
const PROGRAMS = {
  pasta: {
    nameserver: '169.254.254.53',
    command: (pid: number, nameserver: string) => [
      ...['pasta', '--foreground', '--quiet', '--config-net', '--no-map-gw', '--dns-forward', nameserver],
      ...['-t', 'none', '-u', 'none', '-T', 'none', '-U', 'none'],
      ...['--userns', `/proc/${pid}/ns/user`, '--netns', `/proc/${pid}/ns/net`],
    ],
  },
  slirp4netns: {
    nameserver: '10.0.2.3',
    command: (pid: number) => [
      ...['slirp4netns', '--configure', '--mtu=65520', '--disable-host-loopback'],
      ...[`--userns-path=/proc/${pid}/ns/user`, '--netns-type=path', `/proc/${pid}/ns/net`, 'tap0'],
    ],
  },
} as const;

/** Ends with the pipe on its standard input, which closes when its starter is killed, too. */
const UNTIL_CLOSED = '"$@" </dev/null & read -r _; kill $! 2>/dev/null; wait $!';

export function startWayOut(): WayOut | undefined {
  const name = wayOutProgram();
  if (name === undefined || wayOutRemedy() !== undefined) return undefined;
  const { nameserver, command } = PROGRAMS[name];
  return {
    nameserver,
    connect(child, ended) {
      const pid = onlyChild(child.pid!);
      if (pid === undefined) return;
      const program = spawn('sh', ['-c', UNTIL_CLOSED, 'sh', ...command(pid, nameserver)], {
        stdio: ['pipe', 'ignore', 'pipe'],
        detached: true,
      });
      let said = '';
      program.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
      program.once('error', () => undefined);
      program.stdin.on('error', () => undefined);
      let isEnding = false;
      child.once('exit', () => {
        isEnding = true;
        program.stdin.end();
      });
      program.once('exit', () => {
        if (!isEnding) ended(`${name} has ended, and containers reach nothing outside: ${said.trim()}`);
      });
    },
  };
}

/** The process's only child, from outside: the first process of its PID namespace. */
function onlyChild(pid: number): number | undefined {
  try {
    const [first] = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return first ? Number(first) : undefined;
  } catch {
    return undefined;
  }
}
