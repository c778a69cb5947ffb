/** What `why denied` answers: each authorizer's answer, with the binding and rule that allowed it or the nearest that did not. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { quote } from '../../base/index.ts';
import { describeGrant, type NearMiss, type RbacFinding, type RoleGrant } from '../../component-helpers/index.ts';

/** Who wants to do what, as in a SubjectAccessReview. */
export interface AccessQuestion {
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  /** Of a resource; not together with `path`. */
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly path?: string;
}

export interface AuthorizerVerdict {
  readonly authorizer: string;
  readonly decision: 'allow' | 'deny' | 'no-opinion' | 'not-asked';
  readonly reason?: string;
  readonly error?: string;
  /** The binding and the rule that allowed it. */
  readonly allowedBy?: GrantedRule;
  /** Those that grant less, the nearest first. */
  readonly nearest?: readonly NearestRule[];
  /** How many bindings name the user or one of its groups. */
  readonly bindings?: number;
}

export interface GrantedRule {
  /** `RoleBinding "devs/default" of Role "reader" to User "jane"`; absent where the asker may not get the binding. */
  readonly grant?: string;
  readonly rule?: PolicyRule;
}

export interface NearestRule extends GrantedRule {
  /** What the rule does not name, or where the binding does not reach: `verb`, `resource`, `namespace` … */
  readonly lacks: readonly string[];
  /** The same as a sentence. */
  readonly text: string;
}

export interface AccessAnswer {
  readonly question: AccessQuestion;
  readonly allowed: boolean;
  readonly authorizers: readonly AuthorizerVerdict[];
  readonly remedy?: string;
  /** What could not be found out, and why not. */
  readonly unknown: readonly string[];
}

/** What of a grant may be shown to the asker. */
export interface Visible {
  readonly binding: boolean;
  readonly rule: boolean;
}

const EVERYTHING: Visible = { binding: true, rule: true };

export function rbacVerdict(
  { allowedBy, nearest, bindings }: RbacFinding,
  question: AccessQuestion,
  visible: (grant: RoleGrant) => Visible = () => EVERYTHING,
): Pick<AuthorizerVerdict, 'allowedBy' | 'nearest' | 'bindings'> {
  return {
    bindings,
    ...(allowedBy ? { allowedBy: shown(allowedBy.grant, allowedBy.rule, visible(allowedBy.grant)) } : {}),
    nearest: nearest.flatMap((miss) => {
      const may = visible(miss.grant);
      return may.rule || may.binding ? [nearestRule(miss, question, may)] : [];
    }),
  };
}

const shown = (grant: RoleGrant, rule: PolicyRule | undefined, visible: Visible): GrantedRule => ({
  ...(visible.binding ? { grant: describeGrant(grant) } : {}),
  ...(visible.rule && rule ? { rule } : {}),
});

function nearestRule({ grant, rule, lacks }: NearMiss, question: AccessQuestion, visible: Visible): NearestRule {
  const by = visible.binding ? describeGrant(grant) : 'a binding that you may not get';
  const what = !visible.rule
    ? 'its rules you may not get'
    : rule
      ? `its rule [${ruleText(rule)}] lacks ${lacks.map((lack) => lackText(lack, question, grant)).join(' and ')}`
      : `its ${grant.roleRef.kind} does not exist`;
  return { ...shown(grant, rule, visible), lacks, text: `${by}: ${what}` };
}

function lackText(lack: NearMiss['lacks'][number], question: AccessQuestion, grant: RoleGrant): string {
  const resource = resourceOf(question);
  switch (lack) {
    case 'verb':
      return `the verb ${question.verb}`;
    case 'apiGroup':
      return `the API group ${quote(question.group ?? '')}`;
    case 'resource':
      return `the resource ${resource}`;
    case 'resourceName':
      return question.name ? `the name ${question.name}` : 'requests without a name';
    case 'nonResourceURL':
      return `the path ${question.path ?? ''}`;
    case 'namespace':
      return question.namespace
        ? `the namespace ${question.namespace}: it is for ${grant.namespace}`
        : `all namespaces: it is for ${grant.namespace}`;
    case 'role':
      return 'its role';
  }
}

const MAX_WORDS = 8;

/** `get, list of pods, services` */
function ruleText({ verbs, resources, apiGroups, resourceNames, nonResourceURLs }: PolicyRule): string {
  const words = (list: readonly string[]): string =>
    list.length > MAX_WORDS
      ? `${list.slice(0, MAX_WORDS).join(', ')} and ${list.length - MAX_WORDS} more`
      : list.join(', ');
  if (nonResourceURLs?.length) return `${words(verbs)} of ${words(nonResourceURLs)}`;
  const groups = (apiGroups ?? []).filter((group) => group !== '');
  return [
    `${words(verbs)} of ${words(resources ?? [])}`,
    ...(groups.length > 0 ? [`in ${words(groups)}`] : []),
    ...(resourceNames?.length ? [`named ${words(resourceNames)}`] : []),
  ].join(' ');
}

const resourceOf = ({ resource = '', subresource }: AccessQuestion): string =>
  subresource ? `${resource}/${subresource}` : resource;

/** `delete pods "web" in namespace "default"` */
function questionText(question: AccessQuestion): string {
  const { verb, path, name, namespace, group } = question;
  if (path !== undefined) return `${verb} the path ${path}`;
  const of = group ? `${resourceOf(question)}.${group}` : resourceOf(question);
  return `${verb} ${of}${name ? ` ${quote(name)}` : ''}${namespace ? ` in namespace ${quote(namespace)}` : ' in all namespaces'}`;
}

/** The smallest change of a role or binding that would allow it. */
export function remedyOf(question: AccessQuestion, { nearest = [] }: AuthorizerVerdict): string {
  const [first] = nearest;
  const wanted = questionText(question);
  if (first?.grant && first.lacks.length === 1) {
    if (first.lacks[0] === 'verb') return `add the verb ${question.verb} to that rule (${first.grant})`;
    if (first.lacks[0] === 'resourceName')
      return `add ${question.name ?? ''} to the resourceNames of that rule (${first.grant})`;
    if (first.lacks[0] === 'role') return `create the role that ${first.grant} names`;
  }
  return `bind a role that allows to ${wanted} to ${quote(question.user)} or one of its groups`;
}

const DECISIONS: Readonly<Record<AuthorizerVerdict['decision'], string>> = {
  allow: 'allows it',
  deny: 'denies it',
  'no-opinion': 'no opinion',
  'not-asked': 'not asked',
};

export function accessText({ question, allowed, authorizers, remedy, unknown }: AccessAnswer): string {
  return [
    `${question.user} ${allowed ? 'may' : 'may not'} ${questionText(question)}${allowed ? '' : authorizers.some(({ decision }) => decision === 'deny') ? '' : ': no authorizer allows it'}`,
    ...authorizers.flatMap((verdict) => verdictLines(verdict, '  ')),
    ...(remedy ? [`  What helps: ${remedy}`] : []),
    ...(unknown.length > 0 ? ['', 'Not known:', ...unknown.map((line) => `  ${line}`)] : []),
  ].join('\n');
}

export function verdictLines(
  { authorizer, decision, reason, error, allowedBy, nearest = [], bindings }: AuthorizerVerdict,
  indent: string,
): string[] {
  const why = [reason, error].filter((text) => text !== undefined && text !== '').join('; ');
  return [
    `${indent}${authorizer}: ${DECISIONS[decision]}${why ? `: ${why}` : ''}`,
    ...(allowedBy ? [`${indent}  - ${allowedText(allowedBy)}`] : []),
    ...nearest.map(({ text }) => `${indent}  - ${text}`),
    ...(allowedBy || nearest.length > 0 || bindings === undefined ? [] : [`${indent}  - ${noneText(bindings)}`]),
  ];
}

const allowedText = ({ grant = 'a binding that you may not get', rule }: GrantedRule): string =>
  rule ? `${grant}: its rule [${ruleText(rule)}]` : grant;

const noneText = (bindings: number): string =>
  bindings === 0
    ? 'no binding names this user or one of its groups'
    : `no rule of the ${bindings} bindings of this user and its groups is about it`;
