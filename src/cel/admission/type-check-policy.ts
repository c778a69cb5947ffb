/**
 * Type checks a ValidatingAdmissionPolicy's expressions against the kinds that its rules name, for the warnings in
 * status.typeChecking. The policy itself evaluates them on untyped values all the same.
 */
import type {
  ExpressionWarning,
  Rule,
  ValidatingAdmissionPolicy,
} from '../../api/generated/admissionregistration-v1.ts';
import { apiVersionOf, type GroupVersionKind, type Message } from '../../api/index.ts';
import type { Schema } from '../../machinery/validation/index.ts';
import { AdmissionExpressions } from './admission-expressions.ts';
import { celTypeOfMessage, celTypeOfSchema } from './declared-types.ts';

/** A built-in kind, or a custom one with its schema. */
type CheckedKind = GroupVersionKind & ({ readonly message: Message } | { readonly schema: Schema });

/** Finds the kind of a resource; undefined if its fields are not declared. */
type FindKind = (group: string, version: string, plural: string) => CheckedKind | undefined;

/** The resources that a policy's expressions are checked against. */
export function checkedResources({
  spec,
}: ValidatingAdmissionPolicy): { readonly group: string; readonly version: string; readonly plural: string }[] {
  const found: { group: string; version: string; plural: string }[] = [];
  kindsToCheck((spec?.matchConstraints?.resourceRules ?? []) as readonly Rule[], (group, version, plural) => {
    found.push({ group, version, plural });
    return undefined;
  });
  return found;
}

const MAX_KINDS = 10;

export function typeCheckPolicy({ spec }: ValidatingAdmissionPolicy, findKind: FindKind): ExpressionWarning[] {
  const kinds = kindsToCheck((spec?.matchConstraints?.resourceRules ?? []) as readonly Rule[], findKind);
  const checkers = kinds.map((kind) => ({
    kind,
    expressions: new AdmissionExpressions({
      hasParams: spec?.paramKind !== undefined,
      variables: spec?.variables ?? [],
      objectType: 'message' in kind ? celTypeOfMessage(kind.message) : celTypeOfSchema(kind.schema),
    }),
  }));
  const warnings: ExpressionWarning[] = [];
  const check = (fieldRef: string, expression: string | undefined): void => {
    if (!expression) return;
    const found = checkers.flatMap(({ kind, expressions }) => {
      const { error } = expressions.compile(expression, { result: 'any', hasAuthorizer: true });
      return error === undefined
        ? []
        : [`${groupVersion(kind)}, Kind=${kind.kind}: ${error.replace(/^compilation failed: /, '')}\n`];
    });
    if (found.length > 0) warnings.push({ fieldRef, warning: found.join('\n') });
  };
  (spec?.validations ?? []).forEach(({ expression, messageExpression }, index) => {
    check(`spec.validations[${index}].expression`, expression);
    check(`spec.validations[${index}].messageExpression`, messageExpression);
  });
  return warnings;
}

const groupVersion = (kind: GroupVersionKind): string => (kind.group === '' ? `/${kind.version}` : apiVersionOf(kind));

/** As upstream, rules with wildcards and subresources are not checked. */
function kindsToCheck(rules: readonly Rule[], findKind: FindKind): CheckedKind[] {
  const found = new Map<string, CheckedKind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of rules) {
    if ([...apiGroups, ...apiVersions].some((text) => text.includes('*'))) continue;
    for (const group of apiGroups.toSorted()) {
      for (const version of apiVersions.toSorted()) {
        for (const plural of resources.filter((text) => !/[*/]/.test(text)).sort()) {
          const kind = findKind(group, version, plural);
          if (kind && found.size < MAX_KINDS) found.set(`${group}/${version}/${kind.kind}`, kind);
        }
      }
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}
