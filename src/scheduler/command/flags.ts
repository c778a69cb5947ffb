/** Every flag that kube-scheduler v1.36 has, and one of our own. */
import { componentServingFlags } from '../../component-server/index.ts';
import {
  clientFlags,
  type FlagTable,
  type FlagValues,
  leaderElectionFlags,
  loggingFlags,
  processFlags,
} from '../../flags/index.ts';
import { DEFAULT_CONFIG } from '../config/defaults.ts';

const { leaderElection } = DEFAULT_CONFIG;
const HTTP1 = 'health checks and metrics are served on HTTP/1.1';
const DELEGATED = 'the scheduler uses its own credentials for reviews';

export const schedulerFlags = {
  config: {
    kind: 'text',
    section: 'General',
    summary: 'File with a KubeSchedulerConfiguration; flags for its fields are ignored',
  },
  'write-config-to': {
    kind: 'text',
    section: 'General',
    summary: 'Write the configuration to this file, and exit',
  },
  'plugin-module': { kind: 'texts', default: [], section: 'General', summary: 'Modules with out-of-tree plugins' },
  'pod-max-in-unschedulable-pods-duration': {
    kind: 'duration',
    default: DEFAULT_CONFIG.podMaxInUnschedulableSeconds * 1000,
    section: 'General',
    summary: 'Maximum time that a pod stays unschedulable before it is retried',
  },
  ...clientFlags(100),
  'feature-gates': { kind: 'pairs', section: 'General', summary: 'Feature gates: Name=true' },
  ...leaderElectionFlags('scheduler runs', leaderElection),
  'bind-address': {
    kind: 'text',
    default: '127.0.0.1',
    section: 'Serving',
    summary: 'Address for health checks, metrics and explanations',
  },
  'secure-port': {
    kind: 'whole',
    default: 10_259,
    section: 'Serving',
    summary: 'Port for health checks, metrics and explanations; 0 disables serving',
  },
  ...componentServingFlags('kube-scheduler'),
  'authorization-always-allow-paths': {
    kind: 'texts',
    default: ['/healthz', '/readyz', '/livez'],
    section: 'Serving',
    summary: 'Paths that are served without authorization',
  },
  'authentication-kubeconfig': { kind: 'text', ignored: DELEGATED },
  'authentication-token-webhook-cache-ttl': { kind: 'duration', ignored: DELEGATED },
  'authentication-tolerate-lookup-failure': { kind: 'switch', ignored: DELEGATED },
  'authorization-kubeconfig': { kind: 'text', ignored: DELEGATED },
  'authorization-webhook-cache-authorized-ttl': { kind: 'duration', ignored: DELEGATED },
  'authorization-webhook-cache-unauthorized-ttl': { kind: 'duration', ignored: DELEGATED },
  'requestheader-allowed-names': { kind: 'texts', ignored: DELEGATED },
  'requestheader-client-ca-file': { kind: 'text', ignored: DELEGATED },
  'requestheader-extra-headers-prefix': { kind: 'texts', ignored: DELEGATED },
  'requestheader-group-headers': { kind: 'texts', ignored: DELEGATED },
  'requestheader-uid-headers': { kind: 'texts', ignored: DELEGATED },
  'requestheader-username-headers': { kind: 'texts', ignored: DELEGATED },
  'disable-http2-serving': { kind: 'switch', ignored: HTTP1 },
  'http2-max-streams-per-connection': { kind: 'whole', ignored: HTTP1 },
  'permit-port-sharing': { kind: 'switch', only: ['false'], refused: 'a port is not shared' },
  ...loggingFlags,
  ...processFlags,
} as const satisfies FlagTable;

export type SchedulerFlagValues = FlagValues<typeof schedulerFlags>;
