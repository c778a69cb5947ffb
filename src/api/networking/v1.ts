/** The networking.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const networkingV1: PackageDeclaration = {
  alias: 'networking',
  group: 'networking.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.networking.v1',
  strings: {
    PathType: ['Exact', 'Prefix', 'ImplementationSpecific'],
    PolicyType: ['Ingress', 'Egress'],
  },
  messages: {
    HTTPIngressPath: message('A path and the backend that serves it.', {
      path: field(1, 'string', 'Path to match, beginning with /; needed for Exact and Prefix.'),
      pathType: field(3, '*PathType', 'Exact, Prefix or ImplementationSpecific.', { required: true, keep: true }),
      backend: field(2, 'IngressBackend', 'Where requests go.', { required: true, keep: true }),
    }),
    HTTPIngressRuleValue: message('Paths of a host.', {
      paths: field(1, '[]HTTPIngressPath', 'Paths and their backends.', { required: true, keep: true, list: 'atomic' }),
    }),
    IPAddress: object('An IP address that is in use by a Service.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'IPAddressSpec', 'The desired state, as the user asks for it.', { required: true }),
    }),
    IPAddressList: listOf('IPAddress'),
    IPAddressSpec: message('Who uses the address.', {
      parentRef: field(1, '*ParentReference', 'The object that the address belongs to.', { required: true }),
    }),
    IPBlock: message('A network, and parts of it that do not count.', {
      cidr: field(1, 'string', 'The network, such as 192.168.1.0/24.', { required: true, keep: true }),
      except: field(2, '[]string', 'Networks inside cidr that are left out.', {
        list: 'atomic',
        distinguishesEmpty: true,
      }),
    }),
    Ingress: object('Rules by which HTTP requests from outside reach Services.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'IngressSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'IngressStatus', 'The observed state, as the system last reported it.'),
    }),
    IngressBackend: message('Where requests go; either a Service or another object.', {
      service: field(4, '*IngressServiceBackend', 'A Service.'),
      resource: field(3, '*core.TypedLocalObjectReference', 'An object of another kind in the namespace.'),
    }),
    IngressClass: object('A kind of Ingress, served by one controller.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'IngressClassSpec', 'The desired state, as the user asks for it.'),
    }),
    IngressClassList: listOf('IngressClass'),
    IngressClassParametersReference: message('Points to an object with settings of the class.', {
      apiGroup: field(1, '*string', 'API group of the object; unset for core.'),
      kind: field(2, 'string', 'Kind of the object.', { required: true, keep: true }),
      name: field(3, 'string', 'Name of the object.', { required: true, keep: true }),
      scope: field(4, '*string', 'Cluster (default) or Namespace.', { keep: true, default: 'Cluster' }),
      namespace: field(5, '*string', 'Namespace of the object; needed for scope Namespace.'),
    }),
    IngressClassSpec: message('Controller of the class and its settings.', {
      controller: field(1, 'string', 'Controller that serves the class, as domain/path; fixed.'),
      parameters: field(2, '*IngressClassParametersReference', 'Object with settings for the controller.'),
    }),
    IngressList: listOf('Ingress'),
    IngressLoadBalancerIngress: message('One entry point of an Ingress.', {
      ip: field(1, 'string', 'IP address.'),
      hostname: field(2, 'string', 'DNS name.'),
      ports: field(4, '[]IngressPortStatus', 'State of the ports.', { list: 'atomic' }),
    }),
    IngressLoadBalancerStatus: message('Load balancer of an Ingress.', {
      ingress: field(1, '[]IngressLoadBalancerIngress', 'Its entry points.', { list: 'atomic' }),
    }),
    IngressPortStatus: message('State of one port.', {
      port: field(1, 'int32', 'Port number.', { required: true, keep: true }),
      protocol: field(2, 'core.Protocol', 'TCP, UDP or SCTP.', { required: true, keep: true }),
      error: field(3, '*string', 'Reason word for a failure of the port.'),
    }),
    IngressRule: message('Paths of one host.', {
      host: field(1, 'string', 'Host name, perhaps with *. in front; default all hosts.'),
      ingressRuleValue: field(2, 'IngressRuleValue', 'The paths.', { inline: true }),
    }),
    IngressRuleValue: message('The paths of a rule.', {
      http: field(1, '*HTTPIngressRuleValue', 'HTTP paths.'),
    }),
    IngressServiceBackend: message('A port of a Service.', {
      name: field(1, 'string', 'Name of the Service in the namespace.', { required: true, keep: true }),
      port: field(2, 'ServiceBackendPort', 'Port of the Service.'),
    }),
    IngressSpec: message('Hosts, paths and their backends.', {
      ingressClassName: field(4, '*string', "IngressClass of the Ingress; default the cluster's default class."),
      defaultBackend: field(1, '*IngressBackend', 'Where requests go that no rule matches.'),
      tls: field(2, '[]IngressTLS', 'Certificates for hosts.', { list: 'atomic' }),
      rules: field(3, '[]IngressRule', 'Hosts and paths.', { list: 'atomic', distinguishesEmpty: true }),
    }),
    IngressStatus: message('State of an Ingress.', {
      loadBalancer: field(1, 'IngressLoadBalancerStatus', 'Its load balancer.'),
    }),
    IngressTLS: message('A certificate for hosts.', {
      hosts: field(1, '[]string', 'Hosts that the certificate covers.', { list: 'atomic' }),
      secretName: field(2, 'string', 'Secret with the certificate and key.'),
    }),
    NetworkPolicy: object('Which traffic is allowed for a set of Pods.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'NetworkPolicySpec', 'The desired state, as the user asks for it.'),
    }),
    NetworkPolicyEgressRule: message('Traffic that may leave the Pods.', {
      ports: field(1, '[]NetworkPolicyPort', 'Allowed ports; empty allows all.', {
        list: 'atomic',
        distinguishesEmpty: true,
      }),
      to: field(2, '[]NetworkPolicyPeer', 'Allowed destinations; empty allows all.', {
        list: 'atomic',
        distinguishesEmpty: true,
      }),
    }),
    NetworkPolicyIngressRule: message('Traffic that may reach the Pods.', {
      ports: field(1, '[]NetworkPolicyPort', 'Allowed ports; empty allows all.', {
        list: 'atomic',
        distinguishesEmpty: true,
      }),
      from: field(2, '[]NetworkPolicyPeer', 'Allowed sources; empty allows all.', {
        list: 'atomic',
        distinguishesEmpty: true,
      }),
    }),
    NetworkPolicyList: listOf('NetworkPolicy'),
    NetworkPolicyPeer: message('A source or destination of traffic.', {
      podSelector: field(
        1,
        '*meta.LabelSelector',
        'Labels of Pods; of this namespace unless namespaceSelector is set.',
        { distinguishesEmpty: true },
      ),
      namespaceSelector: field(2, '*meta.LabelSelector', 'Labels of namespaces; empty selects all.', {
        distinguishesEmpty: true,
      }),
      ipBlock: field(3, '*IPBlock', 'A network; excludes the selectors.'),
    }),
    NetworkPolicyPort: message('A port, or a range of ports.', {
      protocol: field(1, '*core.Protocol', 'TCP (default), UDP or SCTP.', { default: 'TCP' }),
      port: field(2, '*IntOrString', 'Port number or name; default all ports.'),
      endPort: field(3, '*int32', 'Last port of the range that begins with port.'),
    }),
    NetworkPolicySpec: message('Pods and the traffic allowed for them.', {
      podSelector: field(1, 'meta.LabelSelector', 'Labels of the Pods; empty selects all of the namespace.', {
        keep: true,
        distinguishesEmpty: true,
      }),
      ingress: field(2, '[]NetworkPolicyIngressRule', 'Traffic that may reach the Pods; empty allows none.', {
        list: 'atomic',
        distinguishesEmpty: true,
      }),
      egress: field(3, '[]NetworkPolicyEgressRule', 'Traffic that may leave the Pods; empty allows none.', {
        list: 'atomic',
        distinguishesEmpty: true,
      }),
      policyTypes: field(4, '[]PolicyType', 'Ingress, Egress or both; default Ingress, and Egress if it has rules.', {
        list: 'atomic',
      }),
    }),
    ParentReference: message('Points to the object that uses an address.', {
      group: field(1, 'string', 'API group of the object.'),
      resource: field(2, 'string', 'Resource of the object, such as services.', { required: true }),
      namespace: field(3, 'string', 'Namespace of the object.'),
      name: field(4, 'string', 'Name of the object.', { required: true }),
    }),
    ServiceBackendPort: message(
      'A port of a Service, by name or number.',
      {
        name: field(1, 'string', 'Name of the port; excludes number.'),
        number: field(2, 'int32', 'Number of the port; excludes name.'),
      },
      { atomic: true },
    ),
    ServiceCIDR: object('Address ranges for Services.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'ServiceCIDRSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'ServiceCIDRStatus', 'The observed state, as the system last reported it.'),
    }),
    ServiceCIDRList: listOf('ServiceCIDR'),
    ServiceCIDRSpec: message('The address ranges.', {
      cidrs: field(1, '[]string', 'One range of each IP family; fixed after creation.', { list: 'atomic' }),
    }),
    ServiceCIDRStatus: message('State of the ranges.', {
      conditions: field(1, '[]meta.Condition', 'Conditions, such as Ready.', {
        list: { map: ['type'] },
        patch: 'merge',
        mergeKey: 'type',
      }),
    }),
  },
  kinds: [
    {
      kind: 'IngressClass',
      plural: 'ingressclasses',
      namespaced: false,
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
      namespaced: true,
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
      namespaced: false,
      shortNames: ['ip'],
      selectableFields: {},
      columns: [column('Name', 'string', 0, 'name'), column('ParentRef', 'string')],
    },
    {
      kind: 'NetworkPolicy',
      plural: 'networkpolicies',
      namespaced: true,
      shortNames: ['netpol'],
      columns: [column('Name', 'string', 0, 'name'), column('Pod-Selector', 'string'), column('Age', 'string')],
    },
    {
      kind: 'ServiceCIDR',
      plural: 'servicecidrs',
      namespaced: false,
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [column('Name', 'string', 0, 'name'), column('CIDRs', 'string'), column('Age', 'string')],
    },
  ],
};
