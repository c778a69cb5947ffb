/** Validation of DeviceTaintRules: the devices that are selected, and the taint. */
import type { DeviceTaintRule, DeviceTaintSelector } from '../../../api/generated/resource-v1alpha3.ts';
import { type FieldError, path, tooMany } from '../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateConditions } from '../object-meta.ts';
import { validateTaint } from './device-claim.ts';
import { validateDriverName, validateLabel, validatePoolName } from './device-names.ts';

const SPEC = path('spec');
const CONDITIONS = path('status', 'conditions');
const MAX_CONDITIONS = 8;

export const deviceTaintRule: KindValidation<DeviceTaintRule> = {
  create: [
    metadata({ namespaced: false, name: nameIsDnsSubdomain }),
    (errors, object) => validateSpec(errors, object, undefined),
  ],
  update: [metadataUpdate, validateSpec],
  status: [
    metadataUpdate,
    (errors, { status }) => {
      const conditions = status?.conditions ?? [];
      validateConditions(errors, conditions, CONDITIONS);
      if (conditions.length > MAX_CONDITIONS) errors.push(tooMany(CONDITIONS, conditions.length, MAX_CONDITIONS));
    },
  ],
};

/** An effect that is stored stays valid. */
function validateSpec(errors: FieldError[], { spec }: DeviceTaintRule, old: DeviceTaintRule | undefined): void {
  if (spec?.deviceSelector) validateSelector(errors, spec.deviceSelector);
  const taint = spec?.taint ?? { key: '', effect: '' };
  const kept = old?.spec !== undefined && (old.spec.taint?.effect ?? '') === (taint.effect ?? '');
  validateTaint(errors, kept ? { ...taint, effect: 'None' } : taint, SPEC.child('taint'));
}

function validateSelector(errors: FieldError[], { driver, pool, device }: DeviceTaintSelector): void {
  const at = SPEC.child('deviceSelector');
  if (driver != null) validateDriverName(errors, driver, at.child('driver'));
  if (pool != null) validatePoolName(errors, pool, at.child('pool'));
  if (device != null) validateLabel(errors, device, at.child('device'));
}
