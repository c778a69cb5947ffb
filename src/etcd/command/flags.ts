/** The flags of `k8ts etcd` and of its snapshots, as users know them from etcd, etcdctl and etcdutl. */
import type { FlagDeclaration, FlagTable } from '../../flags/index.ts';

const ONE_MEMBER = 'it has no effect for a single member';

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
  summary: 'Name of the member',
};

export const etcdFlags = {
  name,
  'data-dir': { kind: 'text', summary: 'Data directory (default NAME.etcd)' },
  'listen-client-urls': {
    kind: 'texts',
    default: ['http://127.0.0.1:2379'],
    summary: 'URLs to listen on for clients; https needs a certificate',
  },
  'advertise-client-urls': { kind: 'texts', summary: 'Client URLs in "member list" (default: the listening URLs)' },
  'cert-file': { kind: 'text', section: 'Security', summary: 'Server certificate' },
  'key-file': { kind: 'text', section: 'Security', summary: 'Private key of the certificate' },
  'trusted-ca-file': { kind: 'text', section: 'Security', summary: 'CA of client certificates' },
  'client-cert-auth': { kind: 'switch', section: 'Security', summary: 'Require client certificates' },
  'quota-backend-bytes': {
    kind: 'whole',
    default: 0,
    section: 'Limits',
    summary: 'Quota of the store in bytes; 0 selects 8 GiB',
  },
  'max-request-bytes': {
    kind: 'whole',
    default: 0,
    section: 'Limits',
    summary: 'Maximum size of a request in bytes; 0 selects 1.5 MiB',
  },
  'max-txn-ops': {
    kind: 'whole',
    default: 0,
    section: 'Limits',
    summary: 'Maximum number of operations in a transaction; 0 selects 128',
  },
  'auto-compaction-mode': {
    kind: 'text',
    default: 'periodic',
    section: 'Compaction',
    summary: 'Mode of automatic compaction: periodic or revision',
  },
  'auto-compaction-retention': {
    kind: 'text',
    default: '0',
    section: 'Compaction',
    summary: 'Retention of automatic compaction: a duration or a number of revisions; 0 disables it',
  },
  ...peerFlags,
  'log-level': { kind: 'text', ignored: 'warnings and errors are always logged' },
  logger: { kind: 'text', ignored: 'log lines go to standard error' },
} as const satisfies FlagTable;

export const snapshotSaveFlags = {
  endpoints: { kind: 'texts', default: ['http://127.0.0.1:2379'], summary: 'Endpoint of the etcd to save' },
  cacert: { kind: 'text', summary: 'CA of the server' },
  cert: { kind: 'text', summary: 'Client certificate' },
  key: { kind: 'text', summary: 'Private key of the certificate' },
} as const satisfies FlagTable;

export const snapshotStatusFlags = {
  'write-out': {
    kind: 'text',
    shorthand: 'w',
    default: 'simple',
    only: ['simple', 'json', 'table'],
    summary: 'Output format',
  },
} as const satisfies FlagTable;

export const snapshotRestoreFlags = {
  'data-dir': { kind: 'text', summary: 'Data directory, which must be empty (default NAME.etcd)' },
  'skip-hash-check': { kind: 'switch', summary: 'Accept a copy of a data file, which has no checksum' },
  name,
  ...peerFlags,
} as const satisfies FlagTable;
