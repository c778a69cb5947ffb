import { encodeMessage, TYPE } from '../../src/dns/index.ts';
import type { Random } from '../../src/kernel/index.ts';

const pick = <T>(random: Random, from: readonly T[]): T => from[random.integer(from.length)]!;

const NAMES = [
  'kubernetes.default.svc.cluster.local',
  'nothing.default.svc.cluster.local',
  'a.b',
  '',
  'x'.repeat(63),
  `${'y.'.repeat(120)}z`,
  '1.0.96.10.in-addr.arpa',
  '_https._tcp.kubernetes.default.svc.cluster.local',
  'cluster.local',
  '*.default.svc.cluster.local',
  '__proto__.constructor',
  'example.test',
  'KUBERNETES.default.SVC.cluster.local',
  'f.ip6.arpa',
];

/** A datagram, or a message of TCP without its length. */
export function hostileDnsMessage(random: Random): Buffer {
  const chance = random.next();
  if (chance < 0.15) return Buffer.from(random.bytes(random.integer(600)));
  const question = {
    name: pick(random, NAMES),
    type: random.next() < 0.8 ? pick(random, Object.values(TYPE)) : random.integer(65_536),
    class: random.next() < 0.9 ? 1 : random.integer(65_536),
  };
  const message = encodeMessage({
    id: random.integer(65_536),
    response: random.next() < 0.05,
    opcode: random.next() < 0.9 ? 0 : random.integer(16),
    recursionDesired: random.next() < 0.7,
    questions: Array.from({ length: random.next() < 0.9 ? 1 : random.integer(5) }, () => question),
    ...(random.next() < 0.4
      ? { edns: { size: pick(random, [0, 512, 1232, 65_535]), dnssecOk: random.next() < 0.5 } }
      : {}),
  });
  const bytes = Buffer.from(message);
  if (chance < 0.4) return bytes;
  if (chance < 0.55) return bytes.subarray(0, random.integer(bytes.length + 1));
  // Counts that lie.
  if (chance < 0.7) bytes.writeUInt16BE(random.integer(65_536), 4 + 2 * random.integer(4));
  else if (chance < 0.85)
    for (let i = random.integer(4); i >= 0; i--) bytes[random.integer(bytes.length)] = random.integer(256);
  // A name that is a pointer: to itself, to what follows, to the header.
  else if (chance < 0.93 && bytes.length > 14) bytes.writeUInt16BE(0xc000 | random.integer(40), 12);
  else return Buffer.concat([bytes, Buffer.alloc(random.integer(60_000), random.integer(256))]);
  return bytes;
}
