/** Faults between processes and API servers. */
import type { LinkConditions } from '../world/network.ts';
import { CLIENT_PROCESSES, COMPONENTS, SERVERS, type FaultDefinition, type Stage } from './fault.ts';

/** A process and a server. */
const LINKS = [...COMPONENTS, ...CLIENT_PROCESSES].flatMap((process) =>
  SERVERS.map((server) => `${process} ${server}`),
);

const impose = ({ network }: Stage, target: string, conditions: LinkConditions): (() => void) => {
  const [process = '', server = ''] = target.split(' ');
  return network.impose(process, server, conditions);
};

export const networkFaults = {
  /** A process and a server cannot reach each other. */
  partition: {
    weight: 3,
    targets: LINKS,
    strike: (stage, { target }) => impose(stage, target, { blocked: true }),
  },
  /** A process reaches no server at all. */
  isolate: {
    weight: 2,
    targets: COMPONENTS,
    strike(stage, { target }) {
      const lifts = SERVERS.map((server) => impose(stage, `${target} ${server}`, { blocked: true }));
      return () => lifts.forEach((lift) => lift());
    },
  },
  'slow-link': {
    weight: 3,
    targets: LINKS,
    strike: (stage, { target, strength }) => impose(stage, target, { delayMs: 10 + strength * 3_000 }),
  },
  'lose-requests': {
    weight: 2,
    targets: LINKS,
    strike: (stage, { target, strength }) => impose(stage, target, { loseRequests: strength * 0.5 }),
  },
  /** The server acts, and the client does not learn of it. */
  'lose-answers': {
    weight: 3,
    targets: LINKS,
    strike: (stage, { target, strength }) => impose(stage, target, { loseAnswers: strength * 0.5 }),
  },
  'repeat-requests': {
    weight: 2,
    targets: LINKS,
    strike: (stage, { target, strength }) => impose(stage, target, { repeat: strength * 0.5 }),
  },
  'hold-watches': {
    weight: 3,
    targets: LINKS,
    strike: (stage, { target }) => impose(stage, target, { holdWatches: true }),
  },
  'break-watches': {
    weight: 2,
    targets: COMPONENTS,
    strike: ({ network }, { target }) => (network.breakWatches(target) === 0 ? null : undefined),
  },
} satisfies Record<string, FaultDefinition>;
