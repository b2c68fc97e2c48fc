// Generates the chart's values.schema.json from the services' variables: a variable that is misspelled, belongs to a different service, or
// is set by a template is rejected before rendering.
import { otelBehaviours, writeModes } from '../../libs/modes/src/write-mode.ts'
import { variablesOfService } from '../../libs/service/src/definition/index.ts'
import { type Component, components, setByTemplates } from './components.ts'
import { choice, flag, group, kubernetes, list, type Node, text, texts, whole } from './json-schema.ts'

const resourceName = { pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$' }
const secret = (what: string, keys: Readonly<Record<string, string>>): Node =>
  group({
    name: text(`Secret of ${what}.`, resourceName),
    ...Object.fromEntries(Object.entries(keys).map(([key, says]) => [key, text(says)])),
  })

export const freeVariables = ({ definition }: Component): readonly string[] =>
  variablesOfService(definition)
    .filter(name => !setByTemplates.has(name))
    .sort()
const commonVariables = freeVariables(components[0]!).filter(name => components.every(each => freeVariables(each).includes(name)))

const variables = (description: string, names: readonly string[]): Node => ({
  type: 'object',
  propertyNames: { enum: names },
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  description,
})

const extraFiles: Readonly<Record<string, Node>> = {
  extraVolumes: kubernetes('More volumes of the pods, the schema job’s too, as Kubernetes has them.', 'array'),
  extraVolumeMounts: kubernetes('Where their containers mount them.', 'array'),
}

const shared: Readonly<Record<string, Node>> = {
  bind: text('Address that every port of a pod binds to; `::` where pods have IPv6 addresses.'),
  envFrom: kubernetes('Sources of variables, as Kubernetes has them.', 'array'),
  ...extraFiles,
  podAnnotations: texts('Annotations of the pods.'),
  podLabels: texts('More labels of the pods.'),
  nodeSelector: texts('Labels of the nodes.'),
  tolerations: kubernetes('Tolerations of the pods.', 'array'),
  affinity: kubernetes('Affinity of the pods.'),
  priorityClassName: text('Priority class of the pods.'),
  topologySpread: group({
    keys: list('Labels of nodes over whose values the pods of a service are spread.', { type: 'string' }),
    whenUnsatisfiable: choice('Whether a pod that cannot be spread starts all the same.', ['ScheduleAnyway', 'DoNotSchedule']),
  }),
  podSecurityContext: kubernetes('Security context of the pods: not root, as user `node` of the image.'),
  securityContext: kubernetes('Security context of the containers: no added privileges, and only /tmp and the state are writable.'),
  pdb: group({
    enabled: flag('A disruption budget for each service of which more than one replica is meant.'),
    maxUnavailable: { type: ['integer', 'string'], description: 'Pods of a service that may be away at once.' },
  }),
  probes: group({
    startup: kubernetes('Times of the startup probe, /health/startup.'),
    live: kubernetes('Times of the liveness probe, /health/live: whether the event loop turns. Stores do not count.'),
    ready: kubernetes('Times of the readiness probe, /health/ready: stores answer, nothing has halted, not draining.'),
    restartWithoutProgress: flag(
      'The liveness probe requests /health/progress instead: a pod that has work but makes no progress is restarted, even if a store is the cause.',
    ),
  }),
  drainSeconds: whole('Time from the stop signal until the process ends (`SVC_DRAIN_GRACE_MS`); the pod gets 15 s more.', 1, {
    maximum: 600,
  }),
}

const scaling: Readonly<Record<Exclude<Component['scales'], 'never'>, Readonly<Record<string, Node>>>> = {
  'by load': { cpuPercent: whole('CPU, as a share of the request, above which a replica is added.', 1) },
  'by lag': {
    lagRecords: whole('A replica is added when more than this many records per replica wait.', 1),
    activationLagRecords: whole('Below this many waiting records, lag causes no alert.', 0),
    stabilizationSeconds: whole('Time of less lag before a replica goes. Above the drain.', 0, { maximum: 3600 }),
  },
}

function blockOf(component: Component): Node {
  const { scales, key, definition } = component
  const scaler = scales === 'by load' ? 'A HorizontalPodAutoscaler by CPU.' : 'A KEDA ScaledObject by the lag of its topics.'
  return group({
    ...(key === 'merger' && {
      enabled: {
        type: ['boolean', 'null'],
        description:
          'Pods that merge entities for the tables of v3; null: one where migration.writeMode is not events_only. After a cutover true, until `svc doctor` reports that the merger may go.',
      },
      replicas: whole('Pods.', 0),
    }),
    ...(key === 'merger'
      ? {}
      : scales === 'never'
        ? {
            enabled: flag(
              'One pod that brings what v3 has stored into the events tables, once. On the way from v3, in dual or events_only.',
            ),
          }
        : {
            replicas: whole('Pods, where nothing scales them.', 0),
            autoscaling: group({
              enabled: flag(scaler),
              minReplicas: whole('Fewest pods.', 1),
              maxReplicas: whole(scales === 'by load' ? 'Most pods.' : 'Most pods; never more than partitions.', 1),
              ...scaling[scales],
            }),
          }),
    resources: kubernetes('Requests and limits of the container.'),
    ...(scales === 'by load' && {
      service: group({
        type: choice('Type of its Service.', ['ClusterIP', 'NodePort', 'LoadBalancer']),
        annotations: texts('Annotations of its Service.'),
      }),
      preStopSeconds: whole('Time between leaving the endpoints and the stop signal.', 0),
    }),
    ...((key === 'propagator' || key === 'merger') && {
      storage: group({
        enabled: flag('A volume for each pod; else the state is on the node and read from the log again after each move.'),
        size: text('Size of the volume.'),
        className: text('Storage class; empty: the cluster’s default.'),
      }),
    }),
    env: variables(`Variables of ${definition.name} that no other value sets; its README has them.`, freeVariables(component)),
    image: group({
      repository: text('Image of this service alone.'),
      tag: text('Its tag: consumers before gateways in an upgrade.'),
      digest: text('Its digest.'),
    }),
    ...shared,
  })
}

const image = (what: string): Readonly<Record<string, Node>> => ({
  repository: text(`Image of ${what}.`),
  tag: text('Tag; empty: the chart’s appVersion.'),
  digest: text('Digest of the image; it takes precedence over the tag.', { pattern: '^(sha256:[0-9a-f]{64})?$' }),
})

export const valuesSchema: Node = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...group({
    nameOverride: text('Name that replaces the chart’s name.'),
    fullnameOverride: text('Name of every object in place of release and chart.'),
    image: group({
      ...image('the services'),
      pullPolicy: choice('When images are pulled.', ['Always', 'IfNotPresent', 'Never']),
      pullSecrets: kubernetes('Secrets of the registry.', 'array'),
    }),
    operatorImage: group(image('the operators’ commands, for the schema job')),
    migration: group({
      writeMode: choice('Which tables are written (`SVC_MIGRATION_V4_WRITE_MODE`).', writeModes),
      otelBehaviour: choice('Path of spans without a version header (`SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR`).', otelBehaviours),
      previewOptIn: flag('Gates the v4 read paths (`SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN`).'),
    }),
    kafka: group({
      brokers: list('Some brokers, host:port.', { type: 'string', pattern: '^[^:,\\s]+:[0-9]+$' }),
      topicPrefix: text('Prefix of every topic and consumer group.', { pattern: '^[A-Za-z0-9._-]+$' }),
      createTopics: flag('Missing topics are made at the start.'),
      replicationFactor: {
        type: ['integer', 'null'],
        minimum: 1,
        maximum: 32,
        description: 'Replicas of topics that the services create; null: 3, or the number of brokers if that is smaller.',
      },
      partitions: group({
        direct: whole('Partitions of spans.direct when it is made: peak spans/s ÷ 5,000.', 1),
        staging: whole('Partitions of the staged topics; they never change afterwards.', 1),
      }),
      tls: group({
        enabled: flag('TLS to the brokers.'),
        serverName: text('Name in the brokers’ certificates, when it is not their address.'),
        caSecret: secret('the authority; of Strimzi `<cluster>-cluster-ca-cert`', { key: 'Its key.' }),
        clientSecret: secret('the client certificate; of Strimzi the user’s', {
          certKey: 'Key of the certificate.',
          keyKey: 'Key of its key.',
          passphraseKey: 'Key of the passphrase of that key; empty: it has none.',
        }),
      }),
      sasl: group({
        mechanism: choice('Empty: no SASL.', ['', 'plain', 'scram-sha-256', 'scram-sha-512']),
        username: text('User; empty: named as the secret, as Strimzi does.'),
        existingSecret: secret('the user; of Strimzi the KafkaUser’s', {
          usernameKey: 'Key of the name, where the secret has it.',
          passwordKey: 'Key of the password.',
        }),
      }),
    }),
    columnStore: group({
      url: text('A ClickHouse server, 25.12 or newer, over HTTP.', { pattern: '^(https?://.+)?$' }),
      user: text('Its user.'),
      database: text('Its database; of a v3 deployment, v3’s.'),
      existingSecret: secret('the password', { passwordKey: 'Its key.' }),
      cluster: group({ enabled: flag('Replicated tables, made ON CLUSTER.'), name: text('Name of the cluster.') }),
      lightweightUpdates: flag('Bookmarks and public flags are changed by lightweight updates.'),
    }),
    database: group({
      existingSecret: secret('the PostgreSQL server, 15 or newer', {
        urlKey: 'Key of the whole postgresql:// URL, special characters percent-encoded.',
      }),
      port: whole('Its port, for the network policy.', 1),
    }),
    salt: group({ existingSecret: secret('the salt of the keys’ hashes; of a v3 deployment, v3’s', { key: 'Its key.' }) }),
    tls: group({
      existingSecret: secret(
        'the certificate of every port that clients reach (HTTP, gRPC, public API), as cert-manager writes it; empty: plain, behind an ingress. ' +
          'A renewed one is taken without a restart',
        {
          certKey:
            'Key of the certificate with its chain. The certificate must also name the Services of the gateway and the API, because the API forwards OTLP to the gateway and sends canaries to the API.',
          keyKey: 'Key of its key.',
          caKey: 'Key of its authority, where that is a private one; empty: a public one.',
        },
      ),
    }),
    certificateAuthority: group({
      existingSecret: secret(
        'the private authorities (PEM, one or several) that sign the certificates of stores, collectors and other servers that pods connect to. ' +
          'Mounted in every pod and in the schema job, and trusted beside the public ones (`NODE_EXTRA_CA_CERTS`); empty: none',
        { key: 'Its key.' },
      ),
      configMap: group({
        name: text('The same from a config map, as trust-manager writes it.', resourceName),
        key: text('Its key.'),
      }),
    }),
    basePath: text(
      'Path before that of every route, such as /svc: of `ingress` and `httpRoute`, and removed by gateway and API (`SVC_BASE_PATH`). Empty: none.',
      { pattern: '^(/[A-Za-z0-9._~-]+)*$' },
    ),
    apiSecrets: group({
      existingSecret: secret('the public API’s secrets. Empty keys are not set', {
        encryptionKeyKey:
          'Key of what secrets are encrypted with at rest (`ENCRYPTION_KEY`), 64 hexadecimal digits; of a v3 deployment, v3’s.',
        previousEncryptionKeysKey: 'Key of the ones before, separated by commas (`ENCRYPTION_KEYS_PREVIOUS`).',
        adminApiKeyKey: 'Key of the one that administers the instance (`ADMIN_API_KEY`).',
        firstUserPasswordKey: 'Key of the password of the first user (`SVC_INIT_USER_PASSWORD`).',
        oidcClientSecretKey: 'Key of the secret of the client at the identity provider (`SVC_OIDC_CLIENT_SECRET`).',
      }),
    }),
    media: group({
      bucket: text('Bucket for media, in a store that speaks S3 (`SVC_S3_MEDIA_UPLOAD_BUCKET`). Empty: media are refused.'),
      prefix: text('Prefix of the keys of media, with a slash at its end (`SVC_S3_MEDIA_UPLOAD_PREFIX`).'),
      region: text('Region of the bucket (`SVC_S3_MEDIA_UPLOAD_REGION`).'),
      endpoint: text('Address of the store; empty: AWS (`SVC_S3_MEDIA_UPLOAD_ENDPOINT`). A network policy lets the API out to its port.', {
        pattern: '^(https?://.+)?$',
      }),
      forcePathStyle: flag('The bucket is named in the path (`SVC_S3_MEDIA_UPLOAD_FORCE_PATH_STYLE`).'),
      upload: choice('Whether clients reach the bytes through the API or by URLs of the store (`SVC_MEDIA_UPLOAD`).', ['proxy', 'direct']),
      existingSecret: secret('the access key; empty: that of the pod’s role', {
        accessKeyIdKey: 'Key of the access key.',
        secretAccessKeyKey: 'Key of its secret.',
      }),
    }),
    canary: group({
      enabled: flag(
        'Sends test spans (canaries) all the time, in a project of their own, and reads them back (`SVC_CANARY_URL`); the metric svc_canary_seconds shows how long that takes.',
      ),
      url: text('Address to which the canary sends, such as that of the ingress that clients use; empty: the Service of the API.', {
        pattern: '^(https?://[^/?#]+(/[^?#]*)?)?$',
      }),
    }),
    traces: group({
      url: text(
        'Where the services send traces of their own work by OTLP over HTTP, whole (`SVC_TRACES_URL`); `networkPolicy.moreEgress` lets them out. Empty: they make none.',
        { pattern: '^(https?://.+)?$' },
      ),
      existingSecret: secret('the headers of those requests; empty: none', {
        headersKey: 'Their key: `name=value,name=value`, values percent-encoded.',
      }),
    }),
    firstProject: group({
      organization: text('Organization of the first project.'),
      project: text('First project, made when it is missing.'),
      existingSecret: secret('its key pair; empty: no project is made', {
        publicKeyKey: 'Key of the public key.',
        secretKeyKey: 'Key of the secret key.',
      }),
    }),
    schemaJob: group({
      enabled: flag(
        'Schemas are migrated by a job before each release; services then do not migrate. Otherwise they migrate when they start.',
      ),
      backoffLimit: whole('Tries.', 0),
      deadlineSeconds: whole('Time for all of them.', 1),
      resources: kubernetes('Requests and limits of the job.'),
      extraVolumes: kubernetes('Its own in place of `global.extraVolumes`.', 'array'),
      extraVolumeMounts: kubernetes('Its own in place of `global.extraVolumeMounts`.', 'array'),
    }),
    global: group({ env: variables('Variables that all services have and no other value sets.', commonVariables), ...shared }),
    ...Object.fromEntries(components.map(component => [component.key, blockOf(component)])),
    ingress: group({
      enabled: flag('An Ingress: /api/public/otel to the gateway, everything else to the API and its web app.'),
      className: text('Ingress class.'),
      annotations: texts('Annotations, such as limits of body sizes.'),
      host: text('Host of the public API.'),
      otlpHost: text('Host for plain OTLP (/v1/traces); empty: none.'),
      tlsSecret: text('Secret of the certificate; empty: plain HTTP.'),
    }),
    httpRoute: group({
      enabled: flag('The same by HTTPRoutes of the Gateway API.'),
      parentRefs: kubernetes('Gateways of the cluster.', 'array'),
      hostnames: list('Hosts of the public API.', { type: 'string' }),
      otlpHostnames: list('Hosts for plain OTLP.', { type: 'string' }),
    }),
    networkPolicy: group({
      enabled: flag('A NetworkPolicy for each service.'),
      clients: kubernetes('Peers that can reach the ports of the API and the gateway; empty: all.', 'array'),
      monitoring: kubernetes('Peers that may reach the ports of metrics; empty: all.', 'array'),
      egress: flag('Services and the schema job reach name servers and the ports of their stores, and nothing else.'),
      moreEgress: kubernetes('Further egress rules.', 'array'),
    }),
    serviceAccount: group({
      create: flag('A service account of the release. It has no rights and no token is mounted.'),
      name: text('Name of the created one, or of an existing one.'),
      annotations: texts('Its annotations.'),
    }),
    monitoring: group({
      podMonitor: group({
        enabled: flag('A PodMonitor of the Prometheus operator.'),
        labels: texts('Labels by which Prometheus selects it.'),
        interval: text('Time between two scrapes.', { pattern: '^[0-9]+(ms|s|m)$' }),
      }),
      rules: group({
        enabled: flag('A PrometheusRule with the alerts of docs/runbooks.'),
        labels: texts('Labels by which Prometheus selects it.'),
        timeScale: {
          type: 'number',
          exclusiveMinimum: 0,
          description: 'Factor by which every time of the rules is multiplied; below 1 for trials.',
        },
      }),
      dashboards: group({
        enabled: flag('A ConfigMap for each dashboard.'),
        labels: texts('Labels by which Grafana’s sidecar finds them.'),
      }),
    }),
    strimzi: group({
      topics: group({
        enabled: flag('A KafkaTopic for each topic. They stay when the release goes.'),
        cluster: text('Name of the Kafka resource.'),
        replicas: whole('Replicas of the topics.', 1),
        minInsyncReplicas: whole('Replicas that must have a record before it is acknowledged.', 1),
      }),
      user: group({
        enabled: flag('A KafkaUser with the rights that the services need.'),
        name: text('Name of the user and of the secret that the operator creates.'),
        authentication: choice('How it is known.', ['tls', 'scram-sha-512']),
      }),
    }),
    evaluation: group({
      stores: flag('FOR EVALUATION ONLY: single-node stores in the release, with generated passwords.'),
      images: group({
        kafka: text('Image of the broker.'),
        clickhouse: text('Image of the column store.'),
        postgres: text('Image of the database.'),
      }),
      storageSize: text('Size of each volume.'),
    }),
  }),
}
