/** Turns system errors into one line that says what to do. */
import { errorMessage } from '../base/index.ts';
import { isStatusError } from '../machinery/errors/index.ts';
import { CommandError } from './command.ts';

interface SystemError extends Error {
  readonly code?: string;
  readonly path?: string;
  readonly syscall?: string;
  readonly port?: number;
  readonly address?: string;
}

/** Network file systems may lack the needed features. */
const unfit = (path = 'the data directory'): string =>
  `the file system of ${path} lacks links, sockets or locks; choose a directory on a disk of this machine with --data-dir`;

/** By the code of the error. */
const EXPLANATIONS: ReadonlyMap<string, (error: SystemError) => string> = new Map(
  Object.entries<(error: SystemError) => string>({
    EADDRINUSE: ({ port, address }) =>
      `port ${port ?? ''} on ${address ?? 'this machine'} is in use by another program; stop it, or choose another port with --port N (0 selects a free one)`,
    EADDRNOTAVAIL: ({ address }) =>
      `${address ?? 'the address'} is not an address of this machine; choose one with --bind-address (127.0.0.1 is always there)`,
    EACCES: ({ path, port, address }) =>
      port === undefined
        ? `no permission for ${path ?? 'a file'}; choose a directory that you may write to with --data-dir`
        : `no permission to listen on ${address ?? ''}:${port}; choose a port above 1023 with --port`,
    EPERM: ({ path, syscall }) =>
      syscall === 'link'
        ? unfit(path)
        : `no permission for ${path ?? 'the operation'}; choose a directory that you may write to with --data-dir`,
    ENOTSUP: ({ path, address }) => unfit(path ?? address),
    EOPNOTSUPP: ({ path, address }) => unfit(path ?? address),
    ENOLCK: ({ path }) => unfit(path),
    EROFS: ({ path }) =>
      `${path ?? 'the directory'} is on a read-only file system; choose another directory with --data-dir`,
    /** For example mkdir below /proc. */
    ENOENT: ({ path, syscall, message }) =>
      syscall === 'mkdir'
        ? `${path ?? 'the data directory'} cannot be created on this file system; choose another directory with --data-dir`
        : path && ['open', 'access', 'stat'].includes(syscall ?? '')
          ? `there is no file ${path}`
          : firstLine(message),
    ENOTDIR: ({ path }) => `${path ?? 'the data directory'} is not a directory; choose another with --data-dir`,
    EEXIST: ({ path }) =>
      `${path ?? 'the data directory'} exists and is not a directory; choose another with --data-dir`,
    ENOSPC: ({ path }) =>
      `the disk of ${path ?? 'the data directory'} is full; make room, then start again: nothing that was acknowledged is lost`,
    EMFILE: () => 'too many open files; raise the limit with "ulimit -n 4096" and start again',
    CERT_HAS_EXPIRED: () =>
      'the certificate of the server has expired; restart it with "k8ts down" and "k8ts up" to get a new one',
    CERT_NOT_YET_VALID: () =>
      'the certificate of the server is not valid yet; correct the clock of this machine or of the server',
    'client-config': ({ message, cause }) => {
      if (message.startsWith('not running in a cluster')) return `${message}; choose a cluster with --kubeconfig FILE`;
      const { code } = (cause ?? {}) as SystemError;
      return `${firstLine(message)}${code === undefined ? '' : code === 'ENOENT' ? ': there is no such file' : ` (${code})`}`;
    },
    corrupt: ({ message }) =>
      `the stored data is damaged (${firstLine(message)}); it was left as it is. Restore a snapshot with "k8ts snapshot restore FILE --data-dir NEW", or start an empty cluster with another --data-dir`,
  }),
);

const FULL = 'the store is full, or its disk; make room, then start again: nothing that was acknowledged is lost';

/** The server's certificate has another CA: the codes of net/tls, and OpenSSL's for an etcd. */
const WRONG_AUTHORITY = new Set([
  'CERT_UNTRUSTED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

export const OLD_KUBECONFIG =
  'the kubeconfig belongs to another cluster, or to an older one of this name: its certificates are not accepted. "k8ts status" prints the right one';

export function explainError(error: unknown): string {
  if (error instanceof CommandError) return firstLine(error.message);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as SystemError;
    const explanation = typeof code === 'string' && EXPLANATIONS.has(code) ? EXPLANATIONS.get(code) : undefined;
    if (explanation) return explanation(cause);
  }
  if (isOldKubeconfig(error)) return OLD_KUBECONFIG;
  /** etcd's and LMDB's messages. */
  if (error instanceof Error && /database space exceeded|No space left on device/.test(error.message)) return FULL;
  return firstLine(errorMessage(error));
}

/** Whether the server's certificate is expired or not yet valid. */
export function isExpired(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as SystemError;
    if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return true;
  }
  return false;
}

/** Whether the kubeconfig is of an earlier cluster: its CA or its user's certificate does not match. */
export function isOldKubeconfig(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as SystemError;
    if (isStatusError(cause, 'Unauthorized') || (typeof code === 'string' && WRONG_AUTHORITY.has(code))) return true;
  }
  return false;
}

const firstLine = (text: string): string => text.split('\n')[0]!;
