/** What `why request` answers: what each step of the pipeline decided about a request, and how long it took. */
import type { AuthorizerVerdict } from '../access/access-answer.ts';
import { verdictLines } from '../access/access-answer.ts';

export interface RequestAnswer {
  readonly auditId: string;
  readonly method: string;
  readonly path: string;
  readonly verb: string;
  readonly user: string;
  readonly groups: readonly string[];
  /** Who sent it in the name of `user`. */
  readonly impersonator?: string;
  /** RFC 3339. */
  readonly time: string;
  readonly milliseconds: number;
  readonly status: number;
  /** Why it was refused. */
  readonly failure?: string;
  readonly flow?: RequestFlow;
  readonly authorization?: RequestAuthorization;
  /** The steps in their order, with the time that each took. */
  readonly stages: readonly RequestStage[];
  readonly admission?: RequestAdmission;
  readonly commits: readonly RequestCommit[];
  readonly unknown: readonly string[];
}

interface RequestFlow {
  readonly flowSchema: string;
  readonly priorityLevel: string;
  /** In the queue of the priority level. */
  readonly waitedMilliseconds: number;
}

interface RequestAuthorization {
  readonly decision: string;
  readonly reason: string;
  /** As the authorizers answer now. */
  readonly authorizers: readonly AuthorizerVerdict[];
  /** RBAC objects have changed since: the answers may differ from those of then. */
  readonly policyHasChanged: boolean;
}

export interface RequestStage {
  readonly stage: string;
  readonly milliseconds: number;
}

interface RequestAdmission {
  readonly plugins: readonly PluginOutcome[];
  readonly calls: readonly AdmissionCallOutcome[];
  readonly omittedCalls?: number;
}

export interface PluginOutcome {
  readonly step: 'admit' | 'validate';
  readonly plugin: string;
  readonly milliseconds: number;
  readonly changed?: readonly string[];
  readonly refused?: true;
}

/** A webhook with its configuration, or a policy with its binding. */
export interface AdmissionCallOutcome {
  readonly plugin: string;
  readonly name: string;
  readonly configuration: string;
  readonly milliseconds: number;
  readonly outcome: 'allowed' | 'changed' | 'denied' | 'failed' | 'ignored';
  readonly message?: string;
  /** Absent where the asker may not get the object. */
  readonly patch?: string;
}

interface RequestCommit {
  readonly revision: number;
  readonly milliseconds: number;
}

const took = (milliseconds: number): string =>
  `${milliseconds < 10 ? milliseconds.toFixed(2) : milliseconds.toFixed(1)} ms`;

export function requestText(answer: RequestAnswer): string {
  const { method, path, user, impersonator, time, status, milliseconds, failure, flow, unknown } = answer;
  return [
    `${method} ${path} by ${user || 'nobody'}${impersonator ? ` (impersonated by ${impersonator})` : ''}: ${status} in ${took(milliseconds)}`,
    `  at ${time}, audit ID ${answer.auditId}`,
    ...(failure ? [`  refused: ${failure}`] : []),
    ...(flow ? [flowLine(flow)] : []),
    ...authorizationLines(answer),
    ...admissionLines(answer),
    ...answer.commits.map(({ revision, milliseconds: ms }) => `  Stored as revision ${revision} (${took(ms)})`),
    `  Time: ${answer.stages.map(({ stage, milliseconds: ms }) => `${stage} ${took(ms)}`).join(', ')}`,
    ...(unknown.length > 0 ? ['', 'Not known:', ...unknown.map((line) => `  ${line}`)] : []),
  ].join('\n');
}

const flowLine = ({ flowSchema, priorityLevel, waitedMilliseconds }: RequestFlow): string =>
  `  Flow schema ${flowSchema}, priority level ${priorityLevel}: ${waitedMilliseconds > 0 ? `waited ${took(waitedMilliseconds)} in its queue` : 'did not wait'}`;

function authorizationLines({ authorization }: RequestAnswer): string[] {
  if (!authorization) return ['  Authorization was not reached'];
  const { decision, authorizers, policyHasChanged } = authorization;
  return [
    `  Authorization: ${decision === 'allow' ? 'allowed' : 'refused'}`,
    ...authorizers.flatMap((verdict) => verdictLines(verdict, '    ')),
    ...(policyHasChanged
      ? ['    RBAC objects have changed since: these are the answers of now, and they may have been others then']
      : []),
  ];
}

const STEPS = { admit: 'Mutating admission', validate: 'Validating admission' } as const;

function admissionLines({ admission }: RequestAnswer): string[] {
  if (!admission) return [];
  return (['admit', 'validate'] as const).flatMap((step) => {
    const plugins = admission.plugins.filter((plugin) => plugin.step === step);
    if (plugins.length === 0) return [];
    const telling = plugins.filter(
      ({ plugin, changed, refused }) => changed || refused || admission.calls.some((call) => call.plugin === plugin),
    );
    const others = plugins.filter((plugin) => !telling.includes(plugin));
    return [
      `  ${STEPS[step]} (${took(total(plugins))})`,
      ...telling.flatMap((plugin) => pluginLines(plugin, admission.calls)),
      ...(others.length > 0
        ? [`    ${others.map(({ plugin }) => plugin).join(', ')}: passed, changed nothing (${took(total(others))})`]
        : []),
      ...(admission.omittedCalls && step === 'validate'
        ? [`    and ${admission.omittedCalls} more webhooks and policies`]
        : []),
    ];
  });
}

const total = (plugins: readonly PluginOutcome[]): number =>
  plugins.reduce((sum, { milliseconds }) => sum + milliseconds, 0);

function pluginLines(
  { plugin, milliseconds, changed, refused }: PluginOutcome,
  calls: readonly AdmissionCallOutcome[],
): string[] {
  return [
    `    ${plugin}: ${refused ? 'refused it' : changed ? `set ${changed.join(', ')}` : 'passed'} (${took(milliseconds)})`,
    ...calls
      .filter((call) => call.plugin === plugin)
      .map(
        ({ name, configuration, outcome, milliseconds: ms, message, patch }) =>
          `      ${name} of ${configuration}: ${outcome} in ${took(ms)}${message ? `: ${message}` : ''}${patch ? `: ${patch}` : ''}`,
      ),
  ];
}
