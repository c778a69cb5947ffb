/** Validates resourceClaims and pod-level resources of a pod. */
import type { PodResourceClaim, PodSpec } from '../../../../api/generated/core-v1.ts';
import { ownValue, Quantity } from '../../../../base/index.ts';
import { isRestartableInitContainer } from '../../../../component-helpers/index.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  type Path,
  required,
} from '../../../errors/index.ts';
import { dns1123Label, nameIsDnsSubdomain } from '../../../names/index.ts';
import { goStruct } from '../../go-struct.ts';
import { compareQuantities, quantityOf } from '../../quantities.ts';
import { validatePodLevelResources, type RequirementRules } from '../resources.ts';

export function validatePodResourceClaims(errors: FieldError[], claims: readonly PodResourceClaim[], at: Path): void {
  const seen = new Set<string>();
  for (const [i, claim] of claims.entries()) {
    const here = at.index(i);
    const { name = '', resourceClaimName, resourceClaimTemplateName } = claim;
    if (name === '') errors.push(required(here.child('name')));
    else if (seen.has(name)) errors.push(duplicate(here.child('name'), name));
    else {
      for (const message of dns1123Label(name)) errors.push(invalidValue(here.child('name'), name, message));
      seen.add(name);
    }
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      errors.push(
        invalidValue(
          here,
          shown(claim),
          'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ),
      );
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      errors.push(
        invalidValue(here, shown(claim), 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'),
      );
    }
    validateName(errors, resourceClaimName, here.child('resourceClaimName'));
    validateName(errors, resourceClaimTemplateName, here.child('resourceClaimTemplateName'));
  }
}

const shown = (claim: PodResourceClaim): unknown => goStruct('io.k8s.api.core.v1.PodResourceClaim', claim);

function validateName(errors: FieldError[], name: string | undefined, at: Path): void {
  if (name !== undefined) for (const message of nameIsDnsSubdomain(name)) errors.push(invalidValue(at, name, message));
}

export function validatePodResources(errors: FieldError[], spec: PodSpec, at: Path, rules: RequirementRules): void {
  const resources = spec.resources!;
  if (spec.os?.name === 'windows') {
    errors.push(forbiddenField(at, 'may not be set for a windows pod'));
    return;
  }
  if (resources.claims)
    errors.push(forbiddenField(at.child('claims'), 'claims may not be set for Resources at pod-level'));
  validatePodLevelResources(errors, resources, at, rules);
  for (const [name, total] of containerRequests(spec)) {
    const own = ownValue(resources.requests, name);
    if (own === undefined || total.cmp(quantityOf(own)) <= 0) continue;
    const message = `must be greater than or equal to aggregate container requests of ${total.toString()}`;
    errors.push(invalidValue(at.child('requests').key(name), own, message));
  }
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const own = ownValue(resources.limits, name);
      if (own === undefined || compareQuantities(limit, own) <= 0) continue;
      const here = at.child('containers').index(i).key(name).child('limits');
      errors.push(invalidValue(here, limit, `must be less than or equal to pod limits of ${own}`));
    }
  }
}

/**
 * The aggregate requests of the containers: regular ones and sidecars, or one init container with the sidecars
 * started before it.
 */
function containerRequests(spec: PodSpec): ReadonlyMap<string, Quantity> {
  const running = new Map<string, Quantity>();
  const sidecars = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  for (const container of spec.containers ?? []) addAll(running, container.resources?.requests);
  for (const container of spec.initContainers ?? []) {
    const requests = container.resources?.requests;
    let needed: ReadonlyMap<string, Quantity>;
    if (isRestartableInitContainer(container)) {
      addAll(running, requests);
      addAll(sidecars, requests);
      needed = sidecars;
    } else needed = addAll(new Map(sidecars), requests);
    for (const [name, quantity] of needed)
      if (quantity.cmp(peak.get(name) ?? Quantity.zero()) > 0) peak.set(name, quantity);
  }
  for (const [name, quantity] of peak)
    if (quantity.cmp(running.get(name) ?? Quantity.zero()) > 0) running.set(name, quantity);
  return running;
}

function addAll(
  sums: Map<string, Quantity>,
  requests: Readonly<Record<string, string>> | undefined,
): Map<string, Quantity> {
  for (const [name, quantity] of Object.entries(requests ?? {})) {
    sums.set(name, (sums.get(name) ?? Quantity.zero()).add(quantityOf(quantity)));
  }
  return sums;
}
