/** Validation of NetworkPolicies. */
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../../api/generated/networking-v1.ts';
import { cidrContains, parseCidr } from '../../../base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../errors/index.ts';
import { nameIsDnsSubdomain, portName, portNumber } from '../../names/index.ts';
import { checkLegacyCidr } from '../ip.ts';
import type { KindValidation } from '../kind-validation.ts';
import { validateLabelSelector, type SelectorAllowances } from '../label-selector.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';

const SPEC = path('spec');
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const POLICY_TYPES = ['Ingress', 'Egress'];

export const networkPolicy: KindValidation<NetworkPolicy> = {
  create: [
    metadata({ namespaced: true, name: nameIsDnsSubdomain }),
    (errors, object) => validateSpec(errors, object.spec, NOTHING_STORED),
  ],
  update: [metadataUpdate, (errors, object, old) => validateSpec(errors, object.spec, storedBy(old.spec))],
};

/** Invalid values that an update may keep because they are stored already. */
interface Stored {
  readonly cidrs: ReadonlySet<string>;
  readonly selectors: SelectorAllowances;
}

const NOTHING_STORED: Stored = { cidrs: new Set(), selectors: {} };

function storedBy(old: NetworkPolicySpec | undefined): Stored {
  const peers = [
    ...(old?.ingress ?? []).flatMap((rule) => rule.from ?? []),
    ...(old?.egress ?? []).flatMap((rule) => rule.to ?? []),
  ];
  const cidrs = new Set(peers.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock.cidr, ...(ipBlock.except ?? [])] : [])));
  const wrong: FieldError[] = [];
  validateLabelSelector(wrong, old?.podSelector, SPEC);
  return { cidrs, selectors: { invalidValues: wrong.length > 0 } };
}

function validateSpec(errors: FieldError[], spec: NetworkPolicySpec | undefined, stored: Stored): void {
  validateLabelSelector(errors, spec?.podSelector, SPEC.child('podSelector'), stored.selectors);
  for (const [i, rule] of (spec?.ingress ?? []).entries()) {
    const at = SPEC.child('ingress').index(i);
    for (const [j, port] of (rule.ports ?? []).entries()) validatePort(errors, port, at.child('ports').index(j));
    for (const [j, peer] of (rule.from ?? []).entries()) validatePeer(errors, peer, at.child('from').index(j), stored);
  }
  for (const [i, rule] of (spec?.egress ?? []).entries()) {
    const at = SPEC.child('egress').index(i);
    for (const [j, port] of (rule.ports ?? []).entries()) validatePort(errors, port, at.child('ports').index(j));
    for (const [j, peer] of (rule.to ?? []).entries()) validatePeer(errors, peer, at.child('to').index(j), stored);
  }
  const types = spec?.policyTypes ?? [];
  if (types.length > POLICY_TYPES.length) {
    errors.push(invalidValue(SPEC.child('policyTypes'), types, 'may not specify more than two policyTypes'));
    return;
  }
  for (const [i, type] of types.entries()) {
    if (!POLICY_TYPES.includes(type)) errors.push(notSupported(SPEC.child('policyTypes').index(i), type, POLICY_TYPES));
  }
}

function validatePort(errors: FieldError[], { protocol, port, endPort }: NetworkPolicyPort, at: Path): void {
  if (protocol != null && !PROTOCOLS.includes(protocol))
    errors.push(notSupported(at.child('protocol'), protocol, PROTOCOLS));
  const endAt = at.child('endPort');
  if (port == null) {
    if (endPort != null) errors.push(invalidValue(endAt, endPort, 'may not be specified when `port` is not specified'));
  } else if (typeof port === 'number') {
    for (const message of portNumber(port)) errors.push(invalidValue(at.child('port'), port, message));
    if (endPort == null) return;
    // As upstream, the error shows the value of port.
    if (endPort < port) errors.push(invalidValue(endAt, port, 'must be greater than or equal to `port`'));
    for (const message of portNumber(endPort)) errors.push(invalidValue(endAt, endPort, message));
  } else {
    if (endPort != null) errors.push(invalidValue(endAt, endPort, 'may not be specified when `port` is non-numeric'));
    for (const message of portName(port)) errors.push(invalidValue(at.child('port'), port, message));
  }
}

function validatePeer(
  errors: FieldError[],
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  at: Path,
  stored: Stored,
): void {
  if (podSelector) validateLabelSelector(errors, podSelector, at.child('podSelector'), stored.selectors);
  if (namespaceSelector)
    validateLabelSelector(errors, namespaceSelector, at.child('namespaceSelector'), stored.selectors);
  if (ipBlock) validateIpBlock(errors, ipBlock, at.child('ipBlock'), stored);
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(at, 'must specify a peer'));
  else if (ipBlock && (podSelector || namespaceSelector)) {
    errors.push(forbiddenField(at, 'may not specify both ipBlock and another peer'));
  }
}

function validateIpBlock(errors: FieldError[], { cidr = '', except }: IPBlock, at: Path, { cidrs }: Stored): void {
  if (cidr === '') {
    errors.push(required(at.child('cidr')));
    return;
  }
  checkLegacyCidr(errors, cidr, at.child('cidr'), { strict: !cidrs.has(cidr) });
  const block = parseCidr(cidr);
  if (!block) return;
  for (const [i, text] of (except ?? []).entries()) {
    const exceptAt = at.child('except').index(i);
    checkLegacyCidr(errors, text, exceptAt, { strict: !cidrs.has(text) });
    const part = parseCidr(text);
    if (part && (!cidrContains(block, part.network) || block.prefix >= part.prefix)) {
      errors.push(invalidValue(exceptAt, text, 'must be a strict subset of `cidr`'));
    }
  }
}
