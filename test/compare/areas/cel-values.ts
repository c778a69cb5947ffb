/** What CEL makes of values: a policy that refuses everything shows the value of an expression in its message. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { Random } from '../random.ts';

const EXPRESSIONS_A_CONVERSATION = 12;
const TEXTS = ['""', '"abc"', '"ÄöÜ"', '"a😀b"', '"a,b,,c"', '" x\\t"', '"%"', '"Aa-1.2"', '"a\\"b"', '"tab\\there"'];
const INTS = ['0', '1', '-1', '2', '3', '5', '100', '9223372036854775807'];
const ITEMS = [
  ...TEXTS,
  ...INTS,
  ...['1.5', '-0.0', '1e100', '1.0', '12345678.9', '0.1 + 0.2', 'true', 'null', 'b"ab"', '1u', 'type(1)'],
  ...['duration("90s")', 'timestamp("2020-01-02T03:04:05.678Z")', '[1, 2]', '["a", true, 1.5]', '{"b": 1, "a": [2]}'],
  ...['dyn("x")', 'dyn([1, "a"])', 'object.metadata.name', 'object.data', 'double("NaN")', 'double("Infinity")'],
];
const VERBS = ['%s', '%d', '%f', '%.2f', '%e', '%.1e', '%x', '%X', '%o', '%b', '%%', '%.0f', '%q', '%5d', '%', 'a%sb'];

export const celValues: Area = { weight: 3, conversations };

function* conversations({ seed, kinds }: AreaOptions): Generator<Conversation> {
  if (kinds.length > 0 && !kinds.includes('validatingadmissionpolicies')) return;
  for (let round = 0; ; round++) yield conversation(new Random(`${seed}/${round}`));
}

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${GROUP}/validatingadmissionpolicies`;
const BINDINGS = `${GROUP}/validatingadmissionpolicybindings`;

/** Formats are checked when they are compiled, unless the list is dyn: one that is wrong would refuse the whole policy. */
function conversation(random: Random): Conversation {
  const texts = Array.from({ length: EXPRESSIONS_A_CONVERSATION }, () => compiles(random));
  const checked = Array.from({ length: 3 }, () => format(random, false));
  const canary = { ...policy('secrets', [{ expression: 'false' }]), metadata: { name: 'canary-$RUN' } };
  const setup = (path: string, body: object, until?: number): Step => ({
    method: 'POST',
    path,
    body,
    setup: true,
    ...(until === undefined ? {} : { until }),
  });
  return {
    topic: 'values',
    namespace: true,
    steps: [
      ...checked.map((text): Step => ({
        method: 'POST',
        path: `${POLICIES}?dryRun=All`,
        body: policy('configmaps', [{ expression: 'false', messageExpression: text }]),
        about: text,
      })),
      {
        method: 'POST',
        path: POLICIES,
        body: policy(
          'configmaps',
          texts.map((text) => ({ expression: 'false', messageExpression: text })),
        ),
      },
      setup(BINDINGS, { metadata: { name: 'b-$RUN' }, spec: { policyName: 'p-$RUN', validationActions: ['Warn'] } }),
      setup(POLICIES, canary),
      setup(BINDINGS, {
        metadata: { name: 'canary-$RUN' },
        spec: { policyName: 'canary-$RUN', validationActions: ['Deny'] },
      }),
      setup('/api/v1/namespaces/$NS/secrets?dryRun=All', { metadata: { name: 's' } }, 422),
      {
        method: 'POST',
        path: '/api/v1/namespaces/$NS/configmaps?dryRun=All',
        body: { metadata: { name: 'c' }, data: { a: '1', b: 'x' } },
      },
    ],
    cleanup: ['b-$RUN', 'canary-$RUN']
      .map((name) => ({ method: 'DELETE', path: `${BINDINGS}/${name}` }))
      .concat(['p-$RUN', 'canary-$RUN'].map((name) => ({ method: 'DELETE', path: `${POLICIES}/${name}` }))),
  };
}

const policy = (resource: string, validations: readonly object[]): object => ({
  metadata: { name: 'p-$RUN' },
  spec: {
    matchConstraints: {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '$NS' } },
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] }],
    },
    validations,
  },
});

function format(random: Random, dynamic: boolean): string {
  const list = `[${Array.from({ length: random.below(4) }, () => random.pick(ITEMS)).join(', ')}]`;
  const verbs = Array.from({ length: 1 + random.below(3) }, () => random.pick(VERBS)).join('|');
  return `"${verbs}".format(${dynamic ? `dyn(${list})` : list})`;
}

function compiles(random: Random): string {
  if (random.chance(0.5)) return format(random, true);
  const [text, other] = [random.pick(TEXTS), random.pick(TEXTS)];
  return random.pick(calls(text, other, random.pick(INTS), random.pick(INTS)));
}

const calls = (text: string, other: string, a: string, b: string): string[] => [
  `${text}.charAt(${a})`,
  `string(${text}.indexOf(${other}))`,
  `string(${text}.indexOf(${other}, ${a}))`,
  `string(${text}.lastIndexOf(${other}, ${a}))`,
  `${text}.lowerAscii() + ${other}.upperAscii()`,
  `${text}.replace(${other}, "-")`,
  `${text}.replace(${other}, "-", ${a})`,
  `${text}.split(${other}).join("|")`,
  `${text}.split(${other}, ${a}).join("|")`,
  `${text}.substring(${a})`,
  `${text}.substring(${a}, ${b})`,
  `${text}.trim().reverse()`,
  `strings.quote(${text})`,
  `string(size(${text})) + string(bytes(${text}).size())`,
];
