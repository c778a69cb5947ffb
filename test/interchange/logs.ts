/** The errors that components log, so that those of an exchanged part can be compared with upstream's alone. */

/** klog's `E1117 18:11:37.123456    1234 file.go:12] message`; k8ts has the logger's name for the source line. */
const ERROR_LINE = /^[EF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ ([^\]]+)\] (.*)$/;

/** What differs between two runs of the same thing: addresses, ports, uids, ids of containers, versions, times. */
const VARIABLE = /0x[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{32,64}\b|\d+/g;

/** The error lines of a log, without what differs between runs, each once. */
export function errorsOf(log: string): string[] {
  const lines = log.split('\n').flatMap((line) => {
    const [, source = '', message = ''] = ERROR_LINE.exec(line) ?? [];
    return message === '' ? [] : [`${source.replace(/:\d+$/, '')}: ${message.replace(VARIABLE, 'N')}`];
  });
  return [...new Set(lines)].sort();
}

/**
 * What upstream's own components log in some runs and not in others: a controller was about to write when another one did, or when
 * the namespace began to terminate; an informer was behind; pods outlived their grace period; kube-system was not there yet, nor the
 * kubelet's own Node; the API server closed a WebSocket before its client had; the kernel's log ended; a container was removed
 * between the kubelet's list and its question about it; cAdvisor had no sample of a new container yet;
 * the kubelet was stopped while it waited for the runtime.
 */
const BY_CHANCE = [
  /because it is being terminated/,
  /is not as new as written version/,
  /the object has been modified/,
  /unexpected items still remain/,
  /namespaces \\?"kube-system\\?" not found/,
  /^kubelet \S+\.go: .*node \\?"localhost\\?" not found/,
  /^kubelet oomparser\.go: exiting analyzeLines/,
  /^kubelet remote_runtime\.go: "ContainerStatus from runtime service failed" .*code = NotFound/,
  /^kubelet remote_runtime\.go: .*code = Canceled desc = context canceled/,
  /^kubelet cadvisor_stats_provider\.go: "Partial failure .*: unable to find data in memory cache/,
  /^kube-apiserver conn\.go: "Error on socket receive" .*use of closed network connection/,
];

/** The errors that upstream alone does not log. */
export const errorsNotIn = (alone: readonly string[], errors: readonly string[]): string[] =>
  errors.filter((line) => !alone.includes(line) && !BY_CHANCE.some((pattern) => pattern.test(line)));
