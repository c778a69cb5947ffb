/** Validation of the networking group: Ingresses and their classes, NetworkPolicies, ServiceCIDRs and IPAddresses. */
import type { KindValidation } from '../kind-validation.ts';
import { ingressClass } from './ingress-class.ts';
import { ingress } from './ingress.ts';
import { networkPolicy } from './network-policy.ts';
import { ipAddress, serviceCidr } from './service-cidr.ts';

export const networkingValidations: Readonly<Record<string, KindValidation>> = {
  'networking.k8s.io/ingressclasses': ingressClass,
  'networking.k8s.io/ingresses': ingress,
  'networking.k8s.io/ipaddresses': ipAddress,
  'networking.k8s.io/networkpolicies': networkPolicy,
  'networking.k8s.io/servicecidrs': serviceCidr,
};
