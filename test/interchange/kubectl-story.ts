/** What people do with kubectl, as commands whose output can be compared between two clusters. */

export interface Step {
  /** Separated by spaces; `~` is a space inside a word, FILE the file with the input. */
  readonly args: string;
  readonly input?: string;
  /** The editor's command, for `edit`. */
  readonly edit?: string;
  /** The exit code that upstream's server gives. */
  readonly code?: number;
  /** The first minor release that has the command or the flag. */
  readonly since?: number;
  /** Where the order of lines is not defined. */
  readonly sorted?: boolean;
  /** The lines to compare. */
  readonly only?: RegExp;
}

const DEPLOYMENT = (image: string, replicas: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: c
        image: registry.example.com/${image}
        ports: [{containerPort: 80}]
        resources: {requests: {cpu: 10m, memory: 16Mi}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: "1"}
`;

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.story.example.com}
spec:
  group: story.example.com
  names: {plural: gadgets, kind: Gadget, shortNames: [gd]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        description: A gadget.
        properties:
          spec: {type: object, required: [size], properties: {size: {type: integer, description: How large.}}}
`;

const GADGET = `
apiVersion: story.example.com/v1
kind: Gadget
metadata: {name: one}
spec: {size: 3}
`;

/** Without the table of events, whose number and order differ from run to run. */
const NO_EVENTS = /^(?!\s+(?:Normal|Warning|Type|----)\s)(?!Events:)/;

/** Objects in all the forms in which kubectl prints them. */
const printed = (what: string): Step[] =>
  ['', ' -o wide', ' -o name', ' -o json', ' -o yaml', ' --show-labels'].map((form) => ({
    args: `get ${what}${form}`,
    code: 0,
  }));

export const STORY: readonly Step[] = [
  // What the server can do.
  { args: 'api-versions', sorted: true, code: 0 },
  { args: 'api-resources', sorted: true, code: 0 },
  { args: 'api-resources --namespaced=false -o wide', sorted: true, code: 0 },
  { args: 'auth can-i create pods', code: 0 },
  { args: 'auth can-i create pods --as=nobody', code: 1 },
  { args: 'auth can-i --list --as=nobody', sorted: true, code: 0 },
  { args: 'explain deployment.spec.replicas', only: /^(?:KIND|VERSION|FIELD|GROUP)/, code: 0 },
  { args: 'explain pods.spec.nothing', code: 1 },
  { args: 'get --raw /healthz', code: 0 },
  { args: 'cluster-info', code: 0 },

  // Apply, look, change, roll back.
  { args: 'diff -f FILE', input: DEPLOYMENT('web:1', 2), only: /exit code|^[+-]\s+(?:image|replicas)/, code: 1 },
  { args: 'apply -f FILE --dry-run=server', input: DEPLOYMENT('web:1', 2), code: 0 },
  { args: 'apply -f FILE', input: DEPLOYMENT('web:1', 2), code: 0 },
  { args: 'rollout status deployment/web', only: /exit code|successfully/, code: 0 },
  { args: 'apply -f FILE', input: DEPLOYMENT('web:1', 2), code: 0 },
  { args: 'diff -f FILE', input: DEPLOYMENT('web:1', 2), code: 0 },
  ...printed('deployment/web'),
  ...printed('replicasets'),
  ...printed('configmap/settings'),
  { args: 'get pods -o custom-columns=IMAGE:.spec.containers[*].image,PHASE:.status.phase', code: 0 },
  { args: 'get pods -l app=web -o jsonpath={.items[*].spec.containers[*].ports[*].containerPort}', code: 0 },
  { args: 'get pods --field-selector=status.phase=Running --no-headers', code: 0 },
  { args: 'get all', sorted: true, code: 0 },
  { args: 'describe deployment/web', only: NO_EVENTS, code: 0 },
  { args: 'describe configmap/settings', only: NO_EVENTS, code: 0 },
  { args: 'diff -f FILE', input: DEPLOYMENT('web:2', 3), only: /exit code|^[+-]\s+(?:- )?(?:image|replicas)/, code: 1 },
  { args: 'apply -f FILE', input: DEPLOYMENT('web:2', 3), code: 0 },
  { args: 'rollout status deployment/web', only: /exit code|successfully/, code: 0 },
  { args: 'rollout history deployment/web', code: 0 },
  { args: 'rollout history deployment/web --revision=2', code: 0 },
  { args: 'rollout undo deployment/web', code: 0 },
  { args: 'rollout status deployment/web', only: /exit code|successfully/, code: 0 },
  { args: 'get deployment/web -o jsonpath={.spec.template.spec.containers[0].image}', code: 0 },
  { args: 'rollout restart deployment/web', code: 0 },
  { args: 'rollout status deployment/web', only: /exit code|successfully/, code: 0 },
  { args: 'rollout pause deployment/web', code: 0 },
  { args: 'rollout pause deployment/web', code: 1 },
  { args: 'rollout resume deployment/web', code: 0 },
  { args: 'set image deployment/web c=registry.example.com/web:3', code: 0 },
  { args: 'set env deployment/web A=b', code: 0 },
  { args: 'set resources deployment/web --limits=cpu=1', code: 0 },
  { args: 'scale deployment/web --replicas=1', code: 0 },
  { args: 'rollout status deployment/web', only: /exit code|successfully/, code: 0 },
  { args: 'autoscale deployment/web --min=1 --max=3', code: 0 },
  { args: 'expose deployment/web --port=80 --type=NodePort', code: 0 },
  { args: 'get service/web', code: 0 },
  { args: 'describe service/web', only: NO_EVENTS, code: 0 },

  // Server-side apply, conflicts and the older forms of patches.
  { args: 'apply --server-side -f FILE', input: DEPLOYMENT('web:4', 1), code: 1 },
  { args: 'apply --server-side --force-conflicts -f FILE', input: DEPLOYMENT('web:4', 1), code: 0 },
  { args: 'label deployment/web tier=front', code: 0 },
  { args: 'label deployment/web tier=back', code: 1 },
  { args: 'label deployment/web tier=back --overwrite', code: 0 },
  { args: 'label deployment/web tier-', code: 0 },
  { args: 'annotate configmap/settings note=a~note', code: 0 },
  { args: 'patch configmap/settings -p {"data":{"b":"2"}}', code: 0 },
  { args: 'patch configmap/settings --type=merge -p {"data":{"a":null}}', code: 0 },
  { args: 'patch configmap/settings --type=json -p [{"op":"add","path":"/data/c","value":"3"}]', code: 0 },
  { args: 'patch configmap/settings --type=json -p [{"op":"test","path":"/data/c","value":"4"}]', code: 1 },
  { args: 'get configmap/settings -o jsonpath={.data}', code: 0 },
  { args: 'edit configmap/settings', edit: 'sed -i s/c:/d:/', code: 0 },
  { args: 'get configmap/settings -o jsonpath={.data.d}', code: 0 },
  {
    args: 'replace -f FILE',
    input: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"only":"this"}}',
    code: 0,
  },

  // Everything that `create` can make.
  { args: 'create configmap cm --from-literal=a=b', code: 0 },
  { args: 'create configmap cm --from-literal=a=b', code: 1 },
  { args: 'create secret generic password --from-literal=p=w', code: 0 },
  { args: 'describe secret/password', only: NO_EVENTS, code: 0 },
  { args: 'create serviceaccount robot', code: 0 },
  { args: 'create role reader --verb=get,list --resource=pods,deployments.apps', code: 0 },
  { args: 'create rolebinding reads --role=reader --serviceaccount=default:robot', code: 0 },
  { args: 'describe role/reader', only: NO_EVENTS, code: 0 },
  { args: 'create quota q --hard=pods=20,services=5', code: 0 },
  { args: 'create job once --image=registry.example.com/job', code: 0 },
  { args: 'create deployment other --image=registry.example.com/other', code: 0 },
  { args: 'create service clusterip plain --tcp=80:8080', code: 0 },
  { args: 'create service externalname elsewhere --external-name=example.com', code: 0 },
  { args: 'create priorityclass urgent --value=5 --dry-run=server', code: 0 },
  { args: 'create ingress way --rule=example.com/=web:80', since: 21, code: 0 },
  { args: 'create token robot --duration=10m', since: 24, only: /exit code/, code: 0 },
  { args: 'run single --image=registry.example.com/single', code: 0 },
  { args: 'wait --for=condition=Ready pod/single --timeout=60s', code: 0 },
  { args: 'get pod/single', code: 0 },
  { args: 'get pod/single -o yaml', code: 0 },
  { args: 'describe pod/single', only: NO_EVENTS, code: 0 },
  { args: 'wait --for=condition=Ready pod/nothing --timeout=1s', code: 1 },
  { args: 'get roles,rolebindings,serviceaccounts,jobs,services', code: 0 },

  // A kind of one's own.
  { args: 'apply -f FILE', input: DEFINITION, code: 0 },
  { args: 'wait --for=condition=Established crd/gadgets.story.example.com --timeout=30s', code: 0 },
  { args: 'apply -f FILE', input: GADGET, code: 0 },
  ...printed('gadget/one'),
  { args: 'get gd', code: 0 },
  { args: 'patch gadget/one --type=merge -p {"spec":{"size":"large"}}', code: 1 },
  { args: 'explain gadget.spec.size --api-version=story.example.com/v1', code: 0 },
  { args: 'delete crd/gadgets.story.example.com', code: 0 },

  // Nodes.
  { args: 'get nodes -o name', sorted: true, code: 0 },
  { args: 'cordon sim-1', code: 0 },
  { args: 'get node/sim-1', code: 0 },
  { args: 'drain sim-1 --ignore-daemonsets --force', only: /exit code|drained/, code: 0 },
  { args: 'uncordon sim-1', code: 0 },
  { args: 'taint nodes --all story=now:PreferNoSchedule --overwrite', sorted: true, code: 0 },
  { args: 'taint nodes --all story-', sorted: true, code: 0 },

  // What fails, fails alike.
  { args: 'get pod/nothing', code: 1 },
  { args: 'get nonsense', code: 1 },
  { args: 'delete pod/nothing', code: 1 },
  { args: 'delete pod/nothing --ignore-not-found', code: 0 },
  { args: 'logs nothing', code: 1 },
  { args: 'exec nothing -- true', code: 1 },
  { args: 'apply -f FILE', input: DEPLOYMENT('web:5', 1).replace('replicas: 1', 'replicas: many'), code: 1 },
  { args: 'create -f FILE', input: DEPLOYMENT('web:5', -1).replace('name: web', 'name: Bad'), code: 1 },
  { args: 'get pods -l a==b==c', code: 1 },
  { args: 'get pods --as=nobody', code: 1 },

  // The pods of what is deleted may be gone by then.
  { args: 'delete deployment,service,job,pod --all --wait=false', only: /^(?!pod)/, sorted: true, code: 0 },
  { args: 'delete configmap cm settings', code: 0 },
];
