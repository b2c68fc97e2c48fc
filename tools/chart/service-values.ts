// The values of each service in the chart. Values that all services share are under `global`.
import { variablesOfService } from '../../libs/service/src/definition/index.ts'
import { type Component, components, setByTemplates } from './components.ts'
import { choice, flag, group, kubernetes, list, type Node, text, texts, whole } from './json-schema.ts'

export const freeVariables = ({ definition }: Component): readonly string[] =>
  variablesOfService(definition)
    .filter(name => !setByTemplates.has(name))
    .sort()
export const commonVariables = freeVariables(components[0]!).filter(name => components.every(each => freeVariables(each).includes(name)))

export const variables = (description: string, names: readonly string[]): Node => ({
  type: 'object',
  propertyNames: { enum: names },
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  description,
})

const extraFiles: Readonly<Record<string, Node>> = {
  extraVolumes: kubernetes('Additional volumes of the pods and of the schema job, as in a pod specification.', 'array'),
  extraVolumeMounts: kubernetes(
    'Paths at which containers mount the additional volumes, as `volumeMounts` in a container specification.',
    'array',
  ),
}

export const shared: Readonly<Record<string, Node>> = {
  bind: text('Address that every port of a pod binds to. If pods have IPv6 addresses, set `::`.'),
  envFrom: kubernetes('Secrets and config maps that provide environment variables, as in `envFrom` of a container.', 'array'),
  ...extraFiles,
  podAnnotations: texts('Annotations of the pods.'),
  podLabels: texts('Additional labels of the pods.'),
  nodeSelector: texts('Labels that a node must have to run the pods.'),
  tolerations: kubernetes('Tolerations of the pods.', 'array'),
  affinity: kubernetes('Affinity of the pods.'),
  priorityClassName: text('Priority class of the pods.'),
  topologySpread: group({
    keys: list('Node labels, such as the zone. A service’s pods are spread over the values of each label.', { type: 'string' }),
    whenUnsatisfiable: choice(
      'If a pod would make the spread uneven on every available node, ScheduleAnyway still starts the pod, and DoNotSchedule lets the pod wait.',
      ['ScheduleAnyway', 'DoNotSchedule'],
    ),
  }),
  podSecurityContext: kubernetes('Security context of the pods. By default, processes run as the image’s user `node`.'),
  securityContext: kubernetes(
    'Security context of the containers. By default, processes can write only to /tmp and to the state directory.',
  ),
  pdb: group({
    enabled: flag('Create a disruption budget for each service with more than one replica.'),
    maxUnavailable: {
      type: ['integer', 'string'],
      description: 'Maximum number or percentage of a service’s pods that can be evicted at the same time.',
    },
  }),
  probes: group({
    startup: kubernetes('Intervals and thresholds of the startup probe (/health/startup).'),
    live: kubernetes('Intervals and thresholds of the liveness probe (/health/live), which tests only the event loop.'),
    ready: kubernetes(
      'Intervals and thresholds of the readiness probe (/health/ready). A pod is not ready while it drains, while a store does not respond, or while a partition is halted.',
    ),
    restartWithoutProgress: flag(
      'Use /health/progress as the liveness probe. Kubernetes then restarts a pod that makes no progress with its work, even if a store is the cause.',
    ),
  }),
  drainSeconds: whole(
    'Seconds in which a process must drain after the stop signal (`SVC_DRAIN_GRACE_MS`). If the process still runs 15 s after this time, Kubernetes kills the pod.',
    1,
    {
      maximum: 600,
    },
  ),
}

const scaling: Readonly<Record<Exclude<Component['scales'], 'never'>, Readonly<Record<string, Node>>>> = {
  'by load': { cpuPercent: whole('CPU usage, in percent of the CPU request, above which the autoscaler adds a replica.', 1) },
  'by lag': {
    lagRecords: whole('Number of waiting records per replica above which KEDA adds a replica.', 1),
    activationLagRecords: whole(
      'If at most this many records of a topic wait, KEDA treats the topic as idle (`activationLagThreshold`).',
      0,
    ),
    stabilizationSeconds: whole('Seconds for which the lag must stay low before KEDA removes a replica. Must exceed `drainSeconds`.', 0, {
      maximum: 3600,
    }),
  },
}

export function blockOf(component: Component): Node {
  const { scales, key, definition } = component
  const scaler =
    scales === 'by load'
      ? 'Let a HorizontalPodAutoscaler add and remove pods according to their CPU usage.'
      : 'Let KEDA add and remove pods according to the lag of the service’s topics (ScaledObject).'
  return group({
    ...(key === 'merger' && {
      enabled: {
        type: ['boolean', 'null'],
        description:
          'Run the merger, which merges entities for the tables of v3. If null, it runs in the write modes legacy and dual. After a switch to events_only, set this value to true. When `svc doctor` reports that the merger can be removed, set this value to false.',
      },
      replicas: whole('Number of pods.', 0),
    }),
    ...(key === 'merger'
      ? {}
      : scales === 'never'
        ? {
            enabled: flag(
              'Run one pod that copies the data of v3 into the events tables. The pod is needed once, during a migration from v3, in write mode dual or events_only.',
            ),
          }
        : {
            replicas: whole('Number of pods if autoscaling is off.', 0),
            autoscaling: group({
              enabled: flag(scaler),
              minReplicas: whole('Minimum number of pods.', 1),
              maxReplicas: whole(
                scales === 'by load' ? 'Maximum number of pods.' : 'Maximum number of pods. There can be at most one pod per partition.',
                1,
              ),
              ...scaling[scales],
            }),
          }),
    resources: kubernetes('CPU and memory requests and limits of the container.'),
    ...(scales === 'by load' && {
      service: group({
        type: choice('Type of the Kubernetes Service.', ['ClusterIP', 'NodePort', 'LoadBalancer']),
        annotations: texts('Annotations of the Kubernetes Service.'),
      }),
      preStopSeconds: whole('Seconds between the removal of a pod from the endpoints and its stop signal.', 0),
    }),
    ...((key === 'propagator' || key === 'merger') && {
      storage: group({
        enabled: flag(
          'Create a volume for the state of each pod. Without the volume, a pod that moves to another node reads its state from the log again.',
        ),
        size: text('Size of the volume.'),
        className: text('Storage class of the volume. If empty, the cluster’s default class is used.'),
      }),
    }),
    env: variables(`Environment variables that no other value sets; see the README of ${definition.name}.`, freeVariables(component)),
    image: group({
      repository: text('Overrides `image.repository` for this service.'),
      tag: text('Overrides `image.tag` for this service. Upgrade consumers before gateways.'),
      digest: text('Overrides `image.digest` for this service.'),
    }),
    ...shared,
  })
}
