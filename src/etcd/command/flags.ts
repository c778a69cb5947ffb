/** The flags of `k8ts etcd` and of its snapshots, as users know them from etcd, etcdctl and etcdutl. */
import type { FlagDeclaration, FlagTable } from '../../flags/index.ts';

const ONE_MEMBER = 'it has no meaning for a single member';

const peerFlags = {
  'snapshot-count': { kind: 'text', ignored: ONE_MEMBER },
  'listen-peer-urls': { kind: 'text', ignored: ONE_MEMBER },
  'initial-advertise-peer-urls': { kind: 'text', ignored: ONE_MEMBER },
  'initial-cluster': { kind: 'text', ignored: ONE_MEMBER },
  'initial-cluster-state': { kind: 'text', ignored: ONE_MEMBER },
  'initial-cluster-token': { kind: 'text', ignored: ONE_MEMBER },
  'peer-cert-file': { kind: 'text', ignored: ONE_MEMBER },
  'peer-key-file': { kind: 'text', ignored: ONE_MEMBER },
  'peer-trusted-ca-file': { kind: 'text', ignored: ONE_MEMBER },
  'peer-client-cert-auth': { kind: 'switch', ignored: ONE_MEMBER },
  'heartbeat-interval': { kind: 'text', ignored: ONE_MEMBER },
  'election-timeout': { kind: 'text', ignored: ONE_MEMBER },
} as const satisfies FlagTable;

const name: FlagDeclaration & { kind: 'text'; default: string } = {
  kind: 'text',
  default: 'default',
  summary: 'The member’s name',
};

export const etcdFlags = {
  name,
  'data-dir': { kind: 'text', summary: 'Where the store is (default NAME.etcd)' },
  'listen-client-urls': {
    kind: 'texts',
    default: ['http://127.0.0.1:2379'],
    summary: 'Where clients are served; https needs a certificate',
  },
  'advertise-client-urls': { kind: 'texts', summary: 'What "member list" shows (default: the listening addresses)' },
  'cert-file': { kind: 'text', section: 'Security', summary: 'The server’s certificate' },
  'key-file': { kind: 'text', section: 'Security', summary: 'Its key' },
  'trusted-ca-file': { kind: 'text', section: 'Security', summary: 'The authority of clients’ certificates' },
  'client-cert-auth': { kind: 'switch', section: 'Security', summary: 'Whether clients must have one' },
  'quota-backend-bytes': {
    kind: 'whole',
    default: 0,
    section: 'Limits',
    summary: 'How much the store may hold; 0 is 8 GiB',
  },
  'max-request-bytes': {
    kind: 'whole',
    default: 0,
    section: 'Limits',
    summary: 'How large a request may be; 0 is 1.5 MiB',
  },
  'max-txn-ops': {
    kind: 'whole',
    default: 0,
    section: 'Limits',
    summary: 'How many operations a transaction may have; 0 is 128',
  },
  'auto-compaction-mode': { kind: 'text', default: 'periodic', section: 'Compaction', summary: 'periodic or revision' },
  'auto-compaction-retention': {
    kind: 'text',
    default: '0',
    section: 'Compaction',
    summary: 'A duration, or a number of revisions; 0 is never',
  },
  ...peerFlags,
  'log-level': { kind: 'text', ignored: 'warnings and errors are always logged' },
  logger: { kind: 'text', ignored: 'log lines go to standard error' },
} as const satisfies FlagTable;

export const snapshotSaveFlags = {
  endpoints: { kind: 'texts', default: ['http://127.0.0.1:2379'], summary: 'The etcd to save' },
  cacert: { kind: 'text', summary: 'Its authority' },
  cert: { kind: 'text', summary: 'The client’s certificate' },
  key: { kind: 'text', summary: 'Its key' },
} as const satisfies FlagTable;

export const snapshotStatusFlags = {
  'write-out': {
    kind: 'text',
    shorthand: 'w',
    default: 'simple',
    only: ['simple', 'json', 'table'],
    summary: 'How the status is printed',
  },
} as const satisfies FlagTable;

export const snapshotRestoreFlags = {
  'data-dir': { kind: 'text', summary: 'Where to; it must not hold anything (default NAME.etcd)' },
  'skip-hash-check': { kind: 'switch', summary: 'Take a copy of a data file, which has no checksum' },
  name,
  ...peerFlags,
} as const satisfies FlagTable;
