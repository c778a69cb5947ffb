/** The resources of glass.k8ts.dev: for discovery, Tables and OpenAPI. */
import type { APIResourceDiscovery } from '../../api/generated/apidiscovery-v2.ts';
import type { JsonObject } from '../../base/index.ts';
import { GLASS_GROUP, GLASS_VERSION } from './glass-group.ts';

interface GlassResource {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly verbs: readonly string[];
  readonly description: string;
  /** The members besides metadata. */
  readonly properties: JsonObject;
  readonly columns: readonly GlassColumn[];
}

interface GlassColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: number;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const number = (description: string): JsonObject => ({ type: 'number', description });
const flag = (description: string): JsonObject => ({ type: 'boolean', description });
const list = (description: string, items: JsonObject): JsonObject => ({ type: 'array', description, items });
const object = (description: string, properties: JsonObject): JsonObject => ({
  type: 'object',
  description,
  properties,
});
/** Of any shape. */
const open = (description: string): JsonObject => ({
  type: 'object',
  description,
  'x-kubernetes-preserve-unknown-fields': true,
});

const column = (name: string, jsonPath: string, description: string, more: Partial<GlassColumn> = {}): GlassColumn => ({
  name,
  type: 'string',
  jsonPath,
  description,
  ...more,
});

const AUTHORIZERS = list(
  'The answer of each authorizer, in the order in which they are asked.',
  object('An answer.', {
    authorizer: text('Its name, such as RBAC.'),
    decision: text('allow, deny, no-opinion or not-asked.'),
    reason: text('What it says about its decision.'),
    allowedBy: open('The binding and the rule that allowed it.'),
    nearest: list('The rules that grant less, the nearest first.', open('A binding, its rule, and what it lacks.')),
  }),
);

const SCOPED_READS = { scope: 'Namespaced', verbs: ['get', 'list'] } as const;

export const GLASS_RESOURCES: readonly GlassResource[] = [
  {
    plural: 'spans',
    singular: 'span',
    kind: 'Span',
    ...SCOPED_READS,
    description: 'Something that a component did, when, and because of what.',
    properties: { span: open('Named and attributed as OpenTelemetry does.') },
    columns: [
      column('What', '.span.name', 'The name of the span.'),
      column('Path', '.span.attributes.url\\.path', 'The path of a request.'),
      column('By', '.span.attributes.user\\.name', 'The user of a request.'),
      column('Error', '.span.error', 'Why it failed.', { priority: 1 }),
    ],
  },
  {
    plural: 'traces',
    singular: 'trace',
    kind: 'Trace',
    ...SCOPED_READS,
    description: 'A request with everything that it caused.',
    properties: { trace: open('The tree of spans.') },
    columns: [column('What', '.span.name', 'The request that began it.')],
  },
  {
    plural: 'explanations',
    singular: 'explanation',
    kind: 'Explanation',
    ...SCOPED_READS,
    description:
      'Why an object is in its state, as k8ts why says. The name is RESOURCE[.GROUP]:NAME; a list has what is not healthy.',
    properties: {
      status: object('The answer, from what the asker may read.', {
        subject: open('The object that is explained.'),
        state: text('The state in a few words.'),
        healthy: flag('Whether the object is as its spec asks for.'),
        causes: list('The causes, the most telling one first.', open('A reason, a message, evidence and what helps.')),
        unknown: list('What could not be found out.', text('What, and why not.')),
      }),
    },
    columns: [
      column('Healthy', '.status.healthy', 'Whether the object is as its spec asks for.', { type: 'boolean' }),
      column('State', '.status.state', 'The state in a few words.'),
      column('Reason', '.status.causes[0].reason', 'The most telling cause.'),
      column('Message', '.status.causes[0].message', 'The most telling cause in words.', { priority: 1 }),
    ],
  },
  {
    plural: 'histories',
    singular: 'history',
    kind: 'History',
    scope: 'Namespaced',
    verbs: ['get'],
    description: 'The revisions of an object that the store still has. The name is RESOURCE[.GROUP]:NAME.',
    properties: {
      status: object('The revisions.', {
        revisions: list('The newest first.', open('Revision, event, time, user, manager, cause and changes.')),
      }),
    },
    columns: [
      column('Newest', '.status.revisions[0].revision', 'The newest revision.', { type: 'integer' }),
      column('Event', '.status.revisions[0].event', 'What the newest write did.'),
      column('By', '.status.revisions[0].user', 'Who wrote it.'),
      column('Time', '.status.revisions[0].time', 'When it was written.', { type: 'date' }),
    ],
  },
  {
    plural: 'decisions',
    singular: 'decision',
    kind: 'Decision',
    ...SCOPED_READS,
    description: "The scheduler's newest decision about the pod of this name.",
    properties: {
      status: object('Each node with the plugin that rejected it, or with its scores.', {
        outcome: text('scheduled, unschedulable and so on.'),
        node: text('Where the pod was put.'),
        message: text('Why it was put nowhere.'),
        feasibleNodes: number('How many nodes fit.'),
        totalNodes: number('How many there were.'),
        nodes: list('The nodes; none where the asker may not list them.', open('Filters and scores of a node.')),
        whatWouldHelp: list('The smallest changes that would make it fit.', text('A change.')),
      }),
    },
    columns: [
      column('Outcome', '.status.outcome', 'What was decided.'),
      column('Node', '.status.node', 'Where the pod was put.'),
      column('Fit', '.status.feasibleNodes', 'How many nodes fit.', { type: 'integer' }),
      column('Nodes', '.status.totalNodes', 'How many there were.', { type: 'integer' }),
      column('Message', '.status.message', 'Why it was put nowhere.', { priority: 1 }),
    ],
  },
  {
    plural: 'requests',
    singular: 'request',
    kind: 'Request',
    scope: 'Cluster',
    verbs: ['get', 'list'],
    description:
      'What each step of the pipeline decided about a request. The name is its Audit-ID. Everyone sees their own requests; whoever may list requests sees all.',
    properties: {
      status: object('The answer.', {
        method: text('The HTTP method.'),
        path: text('The path.'),
        user: text('Whose request it was.'),
        time: text('When it came.'),
        milliseconds: number('How long it took.'),
        status: number('The HTTP status.'),
        failure: text('Why it was refused.'),
        flow: open('The flow schema, the priority level, and how long it waited.'),
        authorization: object('What was decided, and by what.', { authorizers: AUTHORIZERS }),
        admission: open('Each plugin, webhook and policy with its time, its changes or its refusal.'),
        stages: list('How long each step took.', open('A step and its time.')),
        commits: list('What was stored.', open('A revision.')),
      }),
    },
    columns: [
      column('Method', '.status.method', 'The HTTP method.'),
      column('Path', '.status.path', 'The path.'),
      column('By', '.status.user', 'Whose request it was.'),
      column('Status', '.status.status', 'The HTTP status.', { type: 'integer' }),
      column('Time', '.status.time', 'When it came.', { type: 'date' }),
      column('Failure', '.status.failure', 'Why it was refused.', { priority: 1 }),
    ],
  },
  {
    plural: 'accessexplanations',
    singular: 'accessexplanation',
    kind: 'AccessExplanation',
    scope: 'Cluster',
    verbs: ['create'],
    description:
      'Why a user may or may not do something. Everyone may ask about themselves; whoever may create subjectaccessreviews about others.',
    properties: {
      spec: open('As of a SubjectAccessReview; without a user, the asker.'),
      status: object('The answer.', {
        allowed: flag('Whether the user may.'),
        authorizers: AUTHORIZERS,
        remedy: text('The smallest change that would allow it.'),
      }),
    },
    columns: [],
  },
];

export const discoveryOf = ({ plural, singular, kind, scope, verbs }: GlassResource): APIResourceDiscovery => ({
  resource: plural,
  singularResource: singular,
  scope,
  responseKind: { group: GLASS_GROUP, version: GLASS_VERSION, kind },
  verbs: [...verbs],
});
