/** Objects for every controller to work on, in the namespace `story` and cluster-wide. */
export const STORY = `
apiVersion: v1
kind: Namespace
metadata: {name: story}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: story}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: "web:1", resources: {requests: {cpu: 100m}}}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: story}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Delete}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: main, image: "db:1", volumeMounts: [{name: data, mountPath: /data}]}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: story}
spec:
  selector: {matchLabels: {app: agent}}
  template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: main, image: "agent:1"}]}}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: old, namespace: story}
spec: {replicas: 1, selector: {app: old}, template: {metadata: {labels: {app: old}}, spec: {containers: [{name: main, image: "old:1"}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: story}
spec: {ttlSecondsAfterFinished: 30, template: {spec: {restartPolicy: Never, containers: [{name: main, image: "job:1"}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: minutely, namespace: story}
spec: {schedule: "* * * * *", successfulJobsHistoryLimit: 0, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "job:1"}]}}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: scratch, namespace: story}
spec:
  containers: [{name: main, image: "scratch:1"}]
  volumes: [{name: tmp, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: story}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: outside, namespace: story}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: outside, namespace: story}
subsets: [{addresses: [{ip: 192.0.2.7}], ports: [{port: 80}]}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: story}
spec: {rules: [{host: web.example, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: story}
spec: {podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {}}]}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: story}
spec:
  minReplicas: 1
  maxReplicas: 6
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: story}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: few, namespace: story}
spec: {hard: {configmaps: "20", pods: "50"}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, namespace: story}
---
apiVersion: v1
kind: Secret
metadata: {name: robot-token, namespace: story, annotations: {kubernetes.io/service-account.name: robot}}
type: kubernetes.io/service-account-token
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: device, namespace: story}
spec: {spec: {devices: {requests: [{name: one, exactly: {deviceClassName: none.example}}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: device, namespace: story}
spec:
  containers: [{name: main, image: "device:1", resources: {claims: [{name: device}]}}]
  resourceClaims: [{name: device, resourceClaimTemplateName: device}]
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata: {name: fast}
driverName: csi.example
parameters: {speed: high}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: remote}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  storageClassName: remote
  csi: {driver: csi.example, volumeHandle: "1"}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: remote, namespace: story}
spec: {accessModes: [ReadWriteOnce], storageClassName: remote, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: remote, namespace: story}
spec:
  containers: [{name: main, image: "remote:1"}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: remote}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: gathered}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {gather: "yes"}}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: part, labels: {gather: "yes"}}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: named}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [widgets]}]}
  validations: [{expression: "object.metadata.name != 'x'"}]
---
apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: more}
spec: {cidrs: [10.99.0.0/24]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: owner, namespace: story}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-info, namespace: kube-public}
data: {kubeconfig: "clusters: []"}
---
apiVersion: v1
kind: Secret
metadata: {name: bootstrap-token-abcdef, namespace: kube-system}
type: bootstrap.kubernetes.io/token
stringData: {token-id: abcdef, token-secret: 0123456789abcdef, usage-bootstrap-signing: "true", usage-bootstrap-authentication: "true"}
---
apiVersion: v1
kind: Secret
metadata: {name: bootstrap-token-expird, namespace: kube-system}
type: bootstrap.kubernetes.io/token
stringData: {token-id: expird, token-secret: 0123456789abcdef, expiration: "2020-01-01T00:00:00Z"}
`;

/** What nodes that run containers have to do, in the namespace `default`. */
export const CONTAINER_STORY = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: www}
spec:
  replicas: 2
  selector: {matchLabels: {app: www}}
  template:
    metadata: {labels: {app: www}}
    spec:
      containers:
      - name: www
        image: docker.io/library/www:test
        imagePullPolicy: Never
        ports: [{containerPort: 8080}]
        volumeMounts: [{name: data, mountPath: /data}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Service
metadata: {name: www}
spec: {type: LoadBalancer, selector: {app: www}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: www}
spec: {defaultBackend: {service: {name: www, port: {number: 80}}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: www}
spec: {podSelector: {matchLabels: {app: www}}, ingress: [{}]}
`;
