/**
 * The ServiceAccount in kube-system that each controller uses with `--use-service-account-credentials`. The bootstrap
 * policy binds these accounts to the roles `system:controller:*`. A controller that is not listed uses the credentials of
 * the manager: serviceaccount-token-controller creates the tokens that others would need.
 */
const SERVICE_ACCOUNTS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    'bootstrap-signer-controller': 'bootstrap-signer',
    'certificatesigningrequest-approving-controller': 'certificate-controller',
    'certificatesigningrequest-cleaner-controller': 'certificate-controller',
    'certificatesigningrequest-signing-controller': 'certificate-controller',
    'clusterrole-aggregation-controller': 'clusterrole-aggregation-controller',
    'cronjob-controller': 'cronjob-controller',
    'daemonset-controller': 'daemon-set-controller',
    'deployment-controller': 'deployment-controller',
    'device-taint-eviction-controller': 'device-taint-eviction-controller',
    'disruption-controller': 'disruption-controller',
    'endpoints-controller': 'endpoint-controller',
    'endpointslice-controller': 'endpointslice-controller',
    'endpointslice-mirroring-controller': 'endpointslicemirroring-controller',
    'ephemeral-volume-controller': 'ephemeral-volume-controller',
    'garbage-collector-controller': 'generic-garbage-collector',
    'horizontal-pod-autoscaler-controller': 'horizontal-pod-autoscaler',
    'host-path-provisioner': 'persistent-volume-binder',
    'job-controller': 'job-controller',
    'kube-apiserver-serving-clustertrustbundle-publisher-controller':
      'kube-apiserver-serving-clustertrustbundle-publisher',
    'legacy-serviceaccount-token-cleaner-controller': 'legacy-service-account-token-cleaner',
    'namespace-controller': 'namespace-controller',
    'node-ipam-controller': 'node-controller',
    'node-lifecycle-controller': 'node-controller',
    'persistentvolume-attach-detach-controller': 'attachdetach-controller',
    'persistentvolume-binder-controller': 'persistent-volume-binder',
    'persistentvolume-expander-controller': 'expand-controller',
    'persistentvolume-protection-controller': 'pv-protection-controller',
    'persistentvolumeclaim-protection-controller': 'pvc-protection-controller',
    'pod-garbage-collector-controller': 'pod-garbage-collector',
    'podcertificaterequest-cleaner-controller': 'podcertificaterequestcleaner',
    'podgroup-protection-controller': 'podgroup-protection-controller',
    'replicaset-controller': 'replicaset-controller',
    'replicationcontroller-controller': 'replication-controller',
    'resourceclaim-controller': 'resource-claim-controller',
    'resourcequota-controller': 'resourcequota-controller',
    'root-ca-certificate-publisher-controller': 'root-ca-cert-publisher',
    'service-cidr-controller': 'service-cidrs-controller',
    'serviceaccount-controller': 'service-account-controller',
    'statefulset-controller': 'statefulset-controller',
    'storage-version-migrator-controller': 'storage-version-migrator-controller',
    'storageversion-garbage-collector-controller': 'storage-version-garbage-collector',
    'taint-eviction-controller': 'node-controller',
    'token-cleaner-controller': 'token-cleaner',
    'ttl-after-finished-controller': 'ttl-after-finished-controller',
    'ttl-controller': 'ttl-controller',
    'validatingadmissionpolicy-status-controller': 'validatingadmissionpolicy-status-controller',
    'volumeattributesclass-protection-controller': 'volumeattributesclass-protection-controller',
  }),
);

export const serviceAccountOf = (controller: string): string | undefined => SERVICE_ACCOUNTS.get(controller);
