/** Validation of ValidatingWebhookConfigurations and MutatingWebhookConfigurations. */
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../../api/generated/admissionregistration-v1.ts';
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../errors/index.ts';
import { dns1123Subdomain, nameIsDnsSubdomain } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import type { KindValidation, ValidationContext } from '../kind-validation.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { metadata, metadataAgain } from '../metadata-checks.ts';
import { hasKnownReviewVersion, REVIEW_VERSIONS, validateReviewVersions } from '../review-versions.ts';
import { validateWebhookClientConfig } from '../webhook-client-config.ts';
import { validateMatchConditions } from './expressions.ts';
import { FAILURE_POLICIES, MATCH_POLICIES, REINVOCATION_POLICIES, validateRuleWithOperations } from './rules.ts';

type Webhook = ValidatingWebhook & Pick<Partial<MutatingWebhook>, 'reinvocationPolicy'>;
type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;

const META_RULES = { namespaced: false, name: nameIsDnsSubdomain, unqualifiedFinalizers: true } as const;
const WEBHOOKS = path('webhooks');
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const ANY_SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const MAX_TIMEOUT_SECONDS = 30;

/** Rules that are relaxed on update if the stored configuration violates them already. */
interface Rules {
  readonly ignoreMatchConditions: boolean;
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly uniqueNames: boolean;
  readonly invalidSelectorValues: boolean;
}

const STRICT: Rules = {
  ignoreMatchConditions: false,
  noSideEffects: true,
  knownReviewVersion: true,
  uniqueNames: true,
  invalidSelectorValues: false,
};

const webhooksOf = (object: Configuration): readonly Webhook[] => object.webhooks ?? [];

function rulesAfter(object: Configuration, old: Configuration): Rules {
  const [now, before] = [webhooksOf(object), webhooksOf(old)];
  const selectorErrors: FieldError[] = [];
  for (const { namespaceSelector, objectSelector } of before) {
    validateLabelSelector(selectorErrors, namespaceSelector, WEBHOOKS);
    validateLabelSelector(selectorErrors, objectSelector, WEBHOOKS);
  }
  return {
    ignoreMatchConditions:
      now.length === before.length &&
      now.every((hook, i) => semanticEqual(hook.matchConditions, before[i]!.matchConditions)),
    noSideEffects: before.every(({ sideEffects }) => NO_SIDE_EFFECTS.includes(sideEffects ?? '')),
    knownReviewVersion: before.every(
      ({ admissionReviewVersions: versions }) => !versions?.length || hasKnownReviewVersion(versions),
    ),
    uniqueNames: new Set(before.map(({ name }) => name)).size === before.length,
    invalidSelectorValues: selectorErrors.length > 0,
  };
}

function validationOfConfiguration<T extends Configuration>(): KindValidation<T> {
  return {
    create: [
      metadata(META_RULES),
      (errors, object, context) => validateWebhooks(errors, webhooksOf(object), STRICT, context),
    ],
    update: [
      metadataAgain(META_RULES),
      (errors, object, old, context) => validateWebhooks(errors, webhooksOf(object), rulesAfter(object, old), context),
    ],
  };
}

export const validatingWebhookConfiguration: KindValidation<ValidatingWebhookConfiguration> =
  validationOfConfiguration();
export const mutatingWebhookConfiguration: KindValidation<MutatingWebhookConfiguration> = validationOfConfiguration();

function validateWebhooks(
  errors: FieldError[],
  webhooks: readonly Webhook[],
  rules: Rules,
  context: ValidationContext,
): void {
  const names = new Set<string>();
  for (const [i, hook] of webhooks.entries()) {
    const at = WEBHOOKS.index(i);
    validateWebhook(errors, hook, at, { rules, context });
    validateReviewVersions(errors, hook.admissionReviewVersions ?? [], at.child('admissionReviewVersions'), {
      knownReviewVersion: rules.knownReviewVersion,
      requiredDetail: `must specify one of ${REVIEW_VERSIONS.join(', ')}`,
    });
    if (!rules.uniqueNames || !hook.name) continue;
    if (names.has(hook.name)) errors.push(duplicate(at.child('name'), hook.name));
    names.add(hook.name);
  }
}

interface WebhookScope {
  readonly rules: Rules;
  readonly context: ValidationContext;
}

function validateWebhook(errors: FieldError[], hook: Webhook, at: Path, { rules, context }: WebhookScope): void {
  validateQualifiedDomain(errors, hook.name ?? '', at.child('name'));
  for (const [i, rule] of (hook.rules ?? []).entries())
    validateRuleWithOperations(errors, rule, at.child('rules').index(i));
  validateOneOf(errors, hook.failurePolicy, at.child('failurePolicy'), FAILURE_POLICIES);
  validateOneOf(errors, hook.matchPolicy, at.child('matchPolicy'), MATCH_POLICIES);
  const sideEffects = rules.noSideEffects ? NO_SIDE_EFFECTS : ANY_SIDE_EFFECTS;
  if (hook.sideEffects == null)
    errors.push(required(at.child('sideEffects'), `must specify one of ${sideEffects.join(', ')}`));
  else validateOneOf(errors, hook.sideEffects, at.child('sideEffects'), sideEffects);
  const timeout = hook.timeoutSeconds;
  if (timeout != null && (timeout > MAX_TIMEOUT_SECONDS || timeout < 1)) {
    errors.push(
      invalidValue(at.child('timeoutSeconds'), timeout, 'the timeout value must be between 1 and 30 seconds'),
    );
  }
  const allowances = { invalidValues: rules.invalidSelectorValues };
  validateLabelSelector(errors, hook.namespaceSelector, at.child('namespaceSelector'), allowances);
  validateLabelSelector(errors, hook.objectSelector, at.child('objectSelector'), allowances);
  validateOneOf(errors, hook.reinvocationPolicy, at.child('reinvocationPolicy'), REINVOCATION_POLICIES);
  validateWebhookClientConfig(errors, hook.clientConfig ?? {}, at.child('clientConfig'));
  if (rules.ignoreMatchConditions) return;
  validateMatchConditions(errors, hook.matchConditions ?? [], at.child('matchConditions'), {
    cel: context.cel,
    hasParams: false,
  });
}

function validateOneOf(errors: FieldError[], value: string | undefined, at: Path, supported: readonly string[]): void {
  if (value != null && !supported.includes(value)) errors.push(notSupported(at, value, supported));
}

function validateQualifiedDomain(errors: FieldError[], name: string, at: Path): void {
  if (name === '') {
    errors.push(required(at));
    return;
  }
  const messages = dns1123Subdomain(name);
  if (messages.length > 0) errors.push(invalidValue(at, name, messages.join(',')));
  else if (name.split('.').length < 3) {
    errors.push(invalidValue(at, name, 'should be a domain with at least three segments separated by dots'));
  }
}
