/** Pod templates as an API server returns them, with the hash that upstream's controller manager v1.36 gives them. */
import type { PodTemplateSpec } from '../../../api/generated/core-v1.ts';

export const POD_TEMPLATES: Readonly<Record<string, { readonly hash: string; readonly template: PodTemplateSpec }>> = {
  plain: {
    hash: '7c5bbd978c',
    template: {
      metadata: {
        labels: {
          app: 'plain',
        },
      },
      spec: {
        containers: [
          {
            image: 'nginx',
            imagePullPolicy: 'Always',
            name: 'c',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        dnsPolicy: 'ClusterFirst',
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {},
        terminationGracePeriodSeconds: 30,
      },
    },
  },
  rich: {
    hash: '85fd5dfd58',
    template: {
      metadata: {
        annotations: {
          note: 'tab\tquote" unicode \u00e9 \u2028 \b',
          x: 'y',
        },
        labels: {
          a: 'bc',
          app: 'rich',
          z: '1',
        },
      },
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    {
                      key: 'a',
                      operator: 'In',
                      values: ['1', '2'],
                    },
                  ],
                },
              ],
            },
          },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                podAffinityTerm: {
                  labelSelector: {
                    matchLabels: {
                      a: 'b',
                    },
                  },
                  topologyKey: 'zone',
                },
                weight: 5,
              },
            ],
          },
        },
        containers: [
          {
            args: ['a'],
            env: [
              {
                name: 'A',
                value: '1',
              },
              {
                name: 'B',
                valueFrom: {
                  fieldRef: {
                    apiVersion: 'v1',
                    fieldPath: 'metadata.name',
                  },
                },
              },
              {
                name: 'C',
                valueFrom: {
                  resourceFieldRef: {
                    containerName: 'web',
                    divisor: '1m',
                    resource: 'limits.cpu',
                  },
                },
              },
              {
                name: 'D',
                valueFrom: {
                  secretKeyRef: {
                    key: 'k',
                    name: 's',
                    optional: true,
                  },
                },
              },
            ],
            envFrom: [
              {
                configMapRef: {
                  name: 'cm',
                },
                prefix: 'P_',
              },
            ],
            image: 'nginx:1',
            imagePullPolicy: 'IfNotPresent',
            lifecycle: {
              preStop: {
                sleep: {
                  seconds: 2,
                },
              },
            },
            livenessProbe: {
              failureThreshold: 3,
              httpGet: {
                httpHeaders: [
                  {
                    name: 'X',
                    value: 'y',
                  },
                ],
                path: '/',
                port: 'http',
                scheme: 'HTTP',
              },
              initialDelaySeconds: 3,
              periodSeconds: 7,
              successThreshold: 1,
              timeoutSeconds: 1,
            },
            name: 'web',
            ports: [
              {
                containerPort: 80,
                hostPort: 80,
                name: 'http',
                protocol: 'TCP',
              },
              {
                containerPort: 53,
                hostPort: 53,
                protocol: 'UDP',
              },
            ],
            readinessProbe: {
              failureThreshold: 3,
              periodSeconds: 10,
              successThreshold: 1,
              tcpSocket: {
                port: 80,
              },
              timeoutSeconds: 1,
            },
            resources: {
              limits: {
                cpu: '500m',
                'example.com/gpu': '2',
                memory: '1536Mi',
              },
              requests: {
                cpu: '100m',
                'ephemeral-storage': '1G',
                memory: '64Mi',
              },
            },
            securityContext: {
              allowPrivilegeEscalation: false,
              capabilities: {
                add: ['NET_ADMIN'],
                drop: ['ALL'],
              },
              privileged: false,
              readOnlyRootFilesystem: true,
            },
            startupProbe: {
              exec: {
                command: ['true'],
              },
              failureThreshold: 3,
              periodSeconds: 10,
              successThreshold: 1,
              timeoutSeconds: 1,
            },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            volumeMounts: [
              {
                mountPath: '/v',
                name: 'v',
                readOnly: true,
                subPath: 'x',
              },
              {
                mountPath: '/p',
                name: 'p',
              },
            ],
          },
          {
            image: 'busybox',
            imagePullPolicy: 'Always',
            name: 'plain',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        dnsConfig: {
          nameservers: ['1.1.1.1'],
          options: [
            {
              name: 'ndots',
              value: '2',
            },
            {
              name: 'x',
            },
          ],
        },
        dnsPolicy: 'None',
        hostAliases: [
          {
            hostnames: ['h'],
            ip: '127.0.0.2',
          },
        ],
        hostNetwork: true,
        imagePullSecrets: [
          {
            name: 's',
          },
        ],
        initContainers: [
          {
            command: ['sh', '-c', 'echo <hi> && exit 0'],
            image: 'busybox:1.36',
            imagePullPolicy: 'IfNotPresent',
            name: 'init',
            resources: {},
            restartPolicy: 'Always',
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        nodeSelector: {
          a: '1',
          b: '2',
        },
        priorityClassName: 'system-node-critical',
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {
          fsGroup: 2000,
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: {
            type: 'RuntimeDefault',
          },
          sysctls: [
            {
              name: 'kernel.shm_rmid_forced',
              value: '0',
            },
          ],
        },
        serviceAccount: 'default',
        serviceAccountName: 'default',
        terminationGracePeriodSeconds: 5,
        tolerations: [
          {
            effect: 'NoExecute',
            key: 'k',
            operator: 'Exists',
            tolerationSeconds: 10,
          },
        ],
        topologySpreadConstraints: [
          {
            labelSelector: {
              matchLabels: {
                app: 'rich',
              },
            },
            maxSkew: 1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'ScheduleAnyway',
          },
        ],
        volumes: [
          {
            emptyDir: {
              sizeLimit: '128Mi',
            },
            name: 'v',
          },
          {
            configMap: {
              defaultMode: 420,
              items: [
                {
                  key: 'a',
                  mode: 256,
                  path: 'b',
                },
              ],
              name: 'cm',
            },
            name: 'c',
          },
          {
            name: 'p',
            projected: {
              defaultMode: 420,
              sources: [
                {
                  serviceAccountToken: {
                    expirationSeconds: 3600,
                    path: 'token',
                  },
                },
                {
                  downwardAPI: {
                    items: [
                      {
                        fieldRef: {
                          apiVersion: 'v1',
                          fieldPath: 'metadata.labels',
                        },
                        path: 'l',
                      },
                    ],
                  },
                },
              ],
            },
          },
          {
            hostPath: {
              path: '/tmp',
              type: 'Directory',
            },
            name: 'h',
          },
          {
            ephemeral: {
              volumeClaimTemplate: {
                metadata: {
                  labels: {
                    q: 'r',
                  },
                },
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  resources: {
                    requests: {
                      storage: '1Gi',
                    },
                  },
                  volumeMode: 'Filesystem',
                },
              },
            },
            name: 'e',
          },
        ],
      },
    },
  },
  everyVolume: {
    hash: '6677586c75',
    template: {
      metadata: {
        labels: {
          app: 'plain',
        },
      },
      spec: {
        containers: [
          {
            image: 'nginx',
            imagePullPolicy: 'Always',
            name: 'c',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            tty: true,
            livenessProbe: {
              grpc: {
                port: 3,
                service: '',
              },
            },
            lifecycle: {
              postStart: {
                tcpSocket: {
                  host: 'h',
                  port: 1,
                },
              },
            },
            volumeDevices: [
              {
                name: 'x',
                devicePath: '/d',
              },
            ],
            resizePolicy: [
              {
                resourceName: 'cpu',
                restartPolicy: 'NotRequired',
              },
            ],
            env: [
              {
                name: 'a',
                valueFrom: {
                  configMapKeyRef: {
                    name: 'n',
                    key: 'k',
                  },
                },
              },
            ],
            envFrom: [
              {
                secretRef: {
                  name: 's',
                },
              },
            ],
          },
        ],
        dnsPolicy: 'ClusterFirst',
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {
          seLinuxOptions: {
            level: 'l',
          },
          windowsOptions: {
            gmsaCredentialSpecName: 'n',
          },
          supplementalGroups: [1, 2],
          seLinuxChangePolicy: 'MountOption',
          fsGroupChangePolicy: 'Always',
        },
        terminationGracePeriodSeconds: 30,
        volumes: [
          {
            name: 'a',
            gcePersistentDisk: {
              pdName: 'p',
              fsType: 'ext4',
              partition: 1,
            },
          },
          {
            name: 'b',
            awsElasticBlockStore: {
              volumeID: 'v',
              fsType: 'x',
            },
          },
          {
            name: 'c',
            nfs: {
              server: 's',
              path: '/',
            },
          },
          {
            name: 'd',
            iscsi: {
              targetPortal: 't',
              iqn: 'i',
              lun: 0,
              iscsiInterface: 'default',
              chapAuthDiscovery: true,
              portals: ['p'],
              secretRef: {
                name: 's',
              },
            },
          },
          {
            name: 'e',
            glusterfs: {
              endpoints: 'e',
              path: 'p',
            },
          },
          {
            name: 'f',
            rbd: {
              monitors: ['m'],
              image: 'i',
              pool: 'rbd',
              user: 'admin',
              keyring: '/etc/ceph/keyring',
            },
          },
          {
            name: 'g',
            flexVolume: {
              driver: 'd',
              options: {
                b: '2',
                a: '1',
              },
            },
          },
          {
            name: 'h',
            cephfs: {
              monitors: ['m'],
            },
          },
          {
            name: 'i',
            fc: {
              targetWWNs: ['w'],
              lun: 3,
              wwids: ['x'],
            },
          },
          {
            name: 'j',
            azureDisk: {
              diskName: 'd',
              diskURI: 'u',
              cachingMode: 'None',
              kind: 'Shared',
              fsType: 'ext4',
              readOnly: false,
            },
          },
          {
            name: 'k',
            csi: {
              driver: 'd',
              volumeAttributes: {
                k: 'v',
              },
            },
          },
          {
            name: 'l',
            storageos: {
              volumeName: 'v',
            },
          },
          {
            name: 'm',
            scaleIO: {
              gateway: 'g',
              system: 's',
              sslEnabled: true,
            },
          },
          {
            name: 'n',
            image: {
              reference: 'r',
              pullPolicy: 'Always',
            },
          },
          {
            name: 'o',
            secret: {
              secretName: 's',
              defaultMode: 420,
            },
          },
          {
            name: 'q',
            vsphereVolume: {
              volumePath: 'v',
            },
          },
          {
            name: 'r',
            portworxVolume: {
              volumeID: 'v',
            },
          },
          {
            name: 's',
            quobyte: {
              registry: 'r',
              volume: 'v',
            },
          },
          {
            name: 't',
            emptyDir: {},
          },
          {
            name: 'u',
            downwardAPI: {
              items: [
                {
                  path: 'p',
                  resourceFieldRef: {
                    resource: 'limits.cpu',
                    divisor: '0',
                  },
                },
              ],
            },
          },
        ],
        dnsConfig: {},
        os: {
          name: 'linux',
        },
        hostAliases: [
          {
            ip: '1.2.3.4',
          },
        ],
        overhead: {
          cpu: '1',
        },
        resourceClaims: [
          {
            name: 'r',
            resourceClaimName: 'x',
          },
        ],
        schedulingGates: [
          {
            name: 'g',
          },
        ],
        readinessGates: [
          {
            conditionType: 'c',
          },
        ],
      },
    },
  },
  quantities: {
    hash: 'c6794bdcf',
    template: {
      metadata: {
        labels: {
          app: 'plain',
        },
      },
      spec: {
        containers: [
          {
            image: 'nginx',
            imagePullPolicy: 'Always',
            name: 'c',
            resources: {
              limits: {
                r00: '0',
                r01: '1',
                r02: '8',
                r03: '10',
                r04: '100',
                r05: '1000',
                r06: '1k',
                r07: '1500',
                r08: '12000',
                r09: '100m',
                r10: '1500m',
                r11: '1Ki',
                r12: '8Ki',
                r13: '1Gi',
                r14: '100Gi',
                r15: '10000Gi',
                r16: '100Ti',
                r17: '2Pi',
                r18: '7Ei',
                r19: '1G',
                r20: '1T',
                r21: '1E',
                r22: '1e3',
                r23: '12e6',
                r24: '-5',
                r25: '-3Mi',
                r26: '123456789012345678',
                r27: '1n',
                r28: '100u',
                r29: '16Gi',
                r30: '512Mi',
                r31: '1023Mi',
                r32: '20Ti',
              },
            },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        dnsPolicy: 'ClusterFirst',
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {},
        terminationGracePeriodSeconds: 30,
      },
    },
  },
};
