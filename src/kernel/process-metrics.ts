/** The metrics of the operating system's process that every Prometheus client has. What a system does not tell is left out. */
import fs from 'node:fs';
import process from 'node:process';
import type { Clock } from './clock.ts';
import { registerGcPauses } from './gc-pauses.ts';
import type { MetricsRegistry } from './metrics.ts';
import { RealClock } from './real-clock.ts';

export function registerProcessMetrics(metrics: MetricsRegistry, clock: Clock): void {
  const startSeconds = clock.now() / 1000 - process.uptime();
  metrics
    .counter({ name: 'process_cpu_seconds_total', help: 'Processor time of the process in seconds.' })
    .collectEach(() => [{ labels: {}, value: cpuSeconds() }]);
  gauge('process_start_time_seconds', 'Start time of the process, in seconds since 1970.', () => startSeconds);
  gauge('process_resident_memory_bytes', 'Resident memory of the process.', () => process.memoryUsage.rss());
  if (clock instanceof RealClock) registerGcPauses(metrics);
  if (!fs.existsSync('/proc/self/stat')) return;
  gauge('process_open_fds', 'Number of open file descriptors.', () => fs.readdirSync('/proc/self/fd').length);
  gauge('process_max_fds', 'Limit of open file descriptors.', () => softLimit('Max open files'));
  gauge('process_virtual_memory_bytes', 'Virtual memory of the process.', virtualMemory);
  gauge('process_virtual_memory_max_bytes', 'Limit of virtual memory.', () => softLimit('Max address space'));
  octets('process_network_receive_bytes_total', 'Bytes received in the network namespace.', 'InOctets');
  octets('process_network_transmit_bytes_total', 'Bytes sent in the network namespace.', 'OutOctets');

  function gauge(name: string, help: string, read: () => number): void {
    metrics.gauge({ name, help }).collect(read);
  }

  function octets(name: string, help: string, column: string): void {
    metrics.counter({ name, help }).collectEach(() => [{ labels: {}, value: networkOctets(column) }]);
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** A process of 64 bits without a limit has the largest number. */
function softLimit(name: string): number {
  const line = fs
    .readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find((text) => text.startsWith(name));
  const limit = line?.slice(26).trim().split(/\s+/)[0];
  return limit === 'unlimited' || limit === undefined ? 2 ** 64 : Number(limit);
}

/** The command in the second field may contain anything but is in parentheses. */
function virtualMemory(): number {
  const stat = fs.readFileSync('/proc/self/stat', 'utf8');
  const afterCommand = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(afterCommand[20]);
}

function networkOctets(column: string): number {
  const lines = fs.readFileSync('/proc/self/net/netstat', 'utf8').split('\n');
  const [names, values] = lines.filter((line) => line.startsWith('IpExt:')).map((line) => line.split(' '));
  return Number(values?.[names?.indexOf(column) ?? -1] ?? 0);
}
