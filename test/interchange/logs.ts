/** The errors that components log, so that those of an exchanged part can be compared with upstream's alone. */

/** klog's `E1117 18:11:37.123456    1234 file.go:12] message`; k8ts has the logger's name for the source line. */
const ERROR_LINE = /^[EF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ ([^\]]+)\] (.*)$/;

/** What differs between two runs of the same thing: addresses, ports, uids, versions, times. */
const VARIABLE = /0x[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g;

/** The error lines of a log, without what differs between runs, each once. */
export function errorsOf(log: string): string[] {
  const lines = log.split('\n').flatMap((line) => {
    const [, source = '', message = ''] = ERROR_LINE.exec(line) ?? [];
    return message === '' ? [] : [`${source.replace(/:\d+$/, '')}: ${message.replace(VARIABLE, 'N')}`];
  });
  return [...new Set(lines)].sort();
}
