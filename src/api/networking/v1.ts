/** The networking.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const networkingV1: PackageDeclaration = {
  alias: 'networking',
  group: 'networking.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.networking.v1',
  strings: {
    PathType: [],
    PolicyType: ['Ingress', 'Egress'],
  },
  messages: {
    HTTPIngressPath: message('', {
      path: field(1, 'string', ''),
      pathType: field(3, '*PathType', '', { required: true, keep: true }),
      backend: field(2, 'IngressBackend', '', { required: true, keep: true }),
    }),
    HTTPIngressRuleValue: message('', {
      paths: field(1, '[]HTTPIngressPath', '', { required: true, keep: true, list: 'atomic' }),
    }),
    IPAddress: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'IPAddressSpec', 'The desired state, as the user asks for it.', { required: true }),
    }),
    IPAddressList: listOf('IPAddress'),
    IPAddressSpec: message('', {
      parentRef: field(1, '*ParentReference', '', { required: true }),
    }),
    IPBlock: message('', {
      cidr: field(1, 'string', '', { required: true, keep: true }),
      except: field(2, '[]string', '', { list: 'atomic' }),
    }),
    Ingress: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'IngressSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'IngressStatus', 'The observed state, as the system last reported it.'),
    }),
    IngressBackend: message('', {
      service: field(4, '*IngressServiceBackend', ''),
      resource: field(3, '*core.TypedLocalObjectReference', ''),
    }),
    IngressClass: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'IngressClassSpec', 'The desired state, as the user asks for it.'),
    }),
    IngressClassList: listOf('IngressClass'),
    IngressClassParametersReference: message('', {
      apiGroup: field(1, '*string', ''),
      kind: field(2, 'string', '', { required: true, keep: true }),
      name: field(3, 'string', '', { required: true, keep: true }),
      scope: field(4, '*string', '', { keep: true }),
      namespace: field(5, '*string', ''),
    }),
    IngressClassSpec: message('', {
      controller: field(1, 'string', ''),
      parameters: field(2, '*IngressClassParametersReference', ''),
    }),
    IngressList: listOf('Ingress'),
    IngressLoadBalancerIngress: message('', {
      ip: field(1, 'string', ''),
      hostname: field(2, 'string', ''),
      ports: field(4, '[]IngressPortStatus', '', { list: 'atomic' }),
    }),
    IngressLoadBalancerStatus: message('', {
      ingress: field(1, '[]IngressLoadBalancerIngress', '', { list: 'atomic' }),
    }),
    IngressPortStatus: message('', {
      port: field(1, 'int32', '', { required: true, keep: true }),
      protocol: field(2, 'core.Protocol', '', { required: true, keep: true }),
      error: field(3, '*string', ''),
    }),
    IngressRule: message('', {
      host: field(1, 'string', ''),
      ingressRuleValue: field(2, 'IngressRuleValue', '', { inline: true }),
    }),
    IngressRuleValue: message('', {
      http: field(1, '*HTTPIngressRuleValue', ''),
    }),
    IngressServiceBackend: message('', {
      name: field(1, 'string', '', { required: true, keep: true }),
      port: field(2, 'ServiceBackendPort', ''),
    }),
    IngressSpec: message('', {
      ingressClassName: field(4, '*string', ''),
      defaultBackend: field(1, '*IngressBackend', ''),
      tls: field(2, '[]IngressTLS', '', { list: 'atomic' }),
      rules: field(3, '[]IngressRule', '', { list: 'atomic' }),
    }),
    IngressStatus: message('', {
      loadBalancer: field(1, 'IngressLoadBalancerStatus', ''),
    }),
    IngressTLS: message('', {
      hosts: field(1, '[]string', '', { list: 'atomic' }),
      secretName: field(2, 'string', ''),
    }),
    NetworkPolicy: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'NetworkPolicySpec', 'The desired state, as the user asks for it.'),
    }),
    NetworkPolicyEgressRule: message('', {
      ports: field(1, '[]NetworkPolicyPort', '', { list: 'atomic' }),
      to: field(2, '[]NetworkPolicyPeer', '', { list: 'atomic' }),
    }),
    NetworkPolicyIngressRule: message('', {
      ports: field(1, '[]NetworkPolicyPort', '', { list: 'atomic' }),
      from: field(2, '[]NetworkPolicyPeer', '', { list: 'atomic' }),
    }),
    NetworkPolicyList: listOf('NetworkPolicy'),
    NetworkPolicyPeer: message('', {
      podSelector: field(1, '*meta.LabelSelector', ''),
      namespaceSelector: field(2, '*meta.LabelSelector', ''),
      ipBlock: field(3, '*IPBlock', ''),
    }),
    NetworkPolicyPort: message('', {
      protocol: field(1, '*core.Protocol', ''),
      port: field(2, '*IntOrString', ''),
      endPort: field(3, '*int32', ''),
    }),
    NetworkPolicySpec: message('', {
      podSelector: field(1, 'meta.LabelSelector', '', { keep: true }),
      ingress: field(2, '[]NetworkPolicyIngressRule', '', { list: 'atomic' }),
      egress: field(3, '[]NetworkPolicyEgressRule', '', { list: 'atomic' }),
      policyTypes: field(4, '[]PolicyType', '', { list: 'atomic' }),
    }),
    ParentReference: message('', {
      group: field(1, 'string', ''),
      resource: field(2, 'string', '', { required: true }),
      namespace: field(3, 'string', ''),
      name: field(4, 'string', '', { required: true }),
    }),
    ServiceBackendPort: message('', {
      name: field(1, 'string', ''),
      number: field(2, 'int32', ''),
    }, { atomic: true }),
    ServiceCIDR: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'ServiceCIDRSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'ServiceCIDRStatus', 'The observed state, as the system last reported it.'),
    }),
    ServiceCIDRList: listOf('ServiceCIDR'),
    ServiceCIDRSpec: message('', {
      cidrs: field(1, '[]string', '', { list: 'atomic' }),
    }),
    ServiceCIDRStatus: message('', {
      conditions: field(1, '[]meta.Condition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
    }),
  },
  kinds: [
    {
      kind: 'IngressClass',
      plural: 'ingressclasses',
      singular: 'ingressclass',
      namespaced: false,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Controller', 'string'),
        column('Parameters', 'string'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'Ingress',
      plural: 'ingresses',
      singular: 'ingress',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['ing'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Class', 'string'),
        column('Hosts', 'string'),
        column('Address', 'string'),
        column('Ports', 'string'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'IPAddress',
      plural: 'ipaddresses',
      singular: 'ipaddress',
      namespaced: false,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['ip'],
      selectableFields: {
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('ParentRef', 'string'),
      ],
    },
    {
      kind: 'NetworkPolicy',
      plural: 'networkpolicies',
      singular: 'networkpolicy',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['netpol'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Pod-Selector', 'string'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'ServiceCIDR',
      plural: 'servicecidrs',
      singular: 'servicecidr',
      namespaced: false,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('CIDRs', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
