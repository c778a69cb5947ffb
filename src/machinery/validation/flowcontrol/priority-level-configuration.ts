/** Validation of PriorityLevelConfigurations. */
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../../api/generated/flowcontrol-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../errors/index.ts';
import { nameIsDnsSubdomain, rangeMessage } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain } from '../metadata-checks.ts';
import { validateConditionTypes } from './conditions.ts';
import { MANDATORY_PRIORITY_LEVELS } from './mandatory.ts';

const SPEC = path('spec');
const META_RULES = { namespaced: false, name: nameIsDnsSubdomain } as const;
const MAX_QUEUES = 10_000_000;
const MAX_HASH_BITS = 60;
const NOT_NEGATIVE = 'must be a non-negative integer';

export const priorityLevelConfiguration: KindValidation<PriorityLevelConfiguration> = {
  create: [metadata(META_RULES), (errors, object) => validateLevel(errors, object)],
  update: [metadataAgain(META_RULES), (errors, object) => validateLevel(errors, object)],
  status: [(errors, object) => validateConditionTypes(errors, object.status?.conditions)],
};

function validateLevel(errors: FieldError[], { metadata: meta, spec, status }: PriorityLevelConfiguration): void {
  const name = meta.name ?? '';
  validateSpec(errors, spec, name);
  validateMandatory(errors, spec, name);
  validateConditionTypes(errors, status?.conditions);
}

/** Only the shares of the exempt level may be changed. */
function validateMandatory(errors: FieldError[], spec: PriorityLevelConfigurationSpec | undefined, name: string): void {
  const fixed = Object.hasOwn(MANDATORY_PRIORITY_LEVELS, name) ? MANDATORY_PRIORITY_LEVELS[name] : undefined;
  if (!fixed) return;
  const exempt = name === 'exempt';
  if (semanticEqual(exempt ? { ...spec, exempt: fixed.exempt } : spec, fixed)) return;
  const except = exempt ? " except the 'spec.exempt' field" : '';
  const shown = goStruct('io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec', spec);
  errors.push(invalidValue(SPEC, shown, `spec of '${name}'${except} must equal the fixed value`));
}

function validateSpec(errors: FieldError[], spec: PriorityLevelConfigurationSpec | undefined, name: string): void {
  const type = spec?.type ?? '';
  if ((name === 'exempt') !== (type === 'Exempt')) {
    errors.push(invalidValue(SPEC.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  if (type === 'Exempt') {
    if (spec?.limited) errors.push(forbiddenField(SPEC.child('limited'), 'must be nil if the type is not Limited'));
    if (spec?.exempt) validateExempt(errors, spec.exempt, SPEC.child('exempt'));
  } else if (type === 'Limited') {
    if (spec?.exempt) errors.push(forbiddenField(SPEC.child('exempt'), 'must be nil if the type is Limited'));
    if (!spec?.limited) errors.push(required(SPEC.child('limited'), 'must not be empty when type is Limited'));
    else validateLimited(errors, spec.limited, SPEC.child('limited'));
  } else if (type === '') {
    errors.push(required(SPEC.child('type')));
  } else {
    errors.push(notSupported(SPEC.child('type'), type, ['Exempt', 'Limited']));
  }
}

function validateShares(errors: FieldError[], shares: number | undefined, at: Path): void {
  if (shares != null && shares < 0)
    errors.push(invalidValue(at.child('nominalConcurrencyShares'), shares, NOT_NEGATIVE));
}

function validateLendable(errors: FieldError[], percent: number | undefined, at: Path): void {
  if (percent != null && (percent < 0 || percent > 100))
    errors.push(invalidValue(at.child('lendablePercent'), percent, rangeMessage(0, 100)));
}

function validateExempt(errors: FieldError[], exempt: ExemptPriorityLevelConfiguration, at: Path): void {
  validateShares(errors, exempt.nominalConcurrencyShares, at);
  validateLendable(errors, exempt.lendablePercent, at);
}

function validateLimited(errors: FieldError[], limited: LimitedPriorityLevelConfiguration, at: Path): void {
  validateShares(errors, limited.nominalConcurrencyShares, at);
  validateLimitResponse(errors, limited.limitResponse, at.child('limitResponse'));
  validateLendable(errors, limited.lendablePercent, at);
  const borrowing = limited.borrowingLimitPercent;
  if (borrowing != null && borrowing < 0) {
    errors.push(invalidValue(at.child('borrowingLimitPercent'), borrowing, `if specified, ${NOT_NEGATIVE}`));
  }
}

function validateLimitResponse(errors: FieldError[], response: LimitResponse | undefined, at: Path): void {
  const { type = '', queuing } = response ?? {};
  const queuingAt = at.child('queuing');
  if (type === 'Reject') {
    if (queuing) errors.push(forbiddenField(queuingAt, 'must be nil if limited.limitResponse.type is not Limited'));
  } else if (type === 'Queue') {
    if (!queuing) errors.push(required(queuingAt, 'must not be empty if limited.limitResponse.type is Limited'));
    else validateQueuing(errors, queuing, queuingAt);
  } else if (type === '') {
    errors.push(required(at.child('type')));
  } else {
    errors.push(notSupported(at.child('type'), type, ['Queue', 'Reject']));
  }
}

function validateQueuing(
  errors: FieldError[],
  { queueLengthLimit = 0, queues = 0, handSize = 0 }: QueuingConfiguration,
  at: Path,
): void {
  if (queueLengthLimit <= 0)
    errors.push(invalidValue(at.child('queueLengthLimit'), queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalidValue(at.child('queues'), queues, 'must be positive'));
  else if (queues > MAX_QUEUES)
    errors.push(invalidValue(at.child('queues'), queues, `must not be greater than ${MAX_QUEUES}`));
  if (handSize <= 0) errors.push(invalidValue(at.child('handSize'), handSize, 'must be positive'));
  else if (handSize > queues) {
    errors.push(invalidValue(at.child('handSize'), handSize, `should not be greater than queues (${queues})`));
  } else if (Math.ceil(Math.log2(queues) * handSize) > MAX_HASH_BITS) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`;
    errors.push(invalidValue(at.child('handSize'), handSize, detail));
  }
}
