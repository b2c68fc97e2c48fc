// Generates the chart's values.schema.json from the services' variables. Helm therefore rejects a variable that is misspelled or belongs to
// another service.
import { otelBehaviours, writeModes } from '../../libs/modes/src/write-mode.ts'
import { components } from './components.ts'
import { choice, flag, group, kubernetes, list, type Node, text, texts, whole } from './json-schema.ts'
import { blockOf, commonVariables, shared, variables } from './service-values.ts'

const resourceName = { pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$' }
/** A secret, and for each `…Key` in `holds` the name of an entry of the secret. `holds` completes the sentence below. */
const secret = (what: string, holds: Readonly<Record<string, string>>): Node =>
  group({
    name: text(`Secret of ${what}.`, resourceName),
    ...Object.fromEntries(Object.entries(holds).map(([key, held]) => [key, text(`Name of the secret’s entry with ${held}`)])),
  })

const image = (what: string): Readonly<Record<string, Node>> => ({
  repository: text(`Image of ${what}.`),
  tag: text('Tag of the image. If the value is empty, the tag is the chart’s appVersion.'),
  digest: text('Digest of the image. If the digest is set, the tag is ignored.', { pattern: '^(sha256:[0-9a-f]{64})?$' }),
})

export const valuesSchema: Node = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...group({
    nameOverride: text('Replaces the chart’s name in the names of all objects.'),
    fullnameOverride: text('Replaces the release and chart name in the names of all objects.'),
    image: group({
      ...image('the services'),
      pullPolicy: choice('When Kubernetes pulls images.', ['Always', 'IfNotPresent', 'Never']),
      pullSecrets: kubernetes('Secrets with the registry’s credentials.', 'array'),
    }),
    operatorImage: group(image('the operators’ commands, which the schema job runs')),
    migration: group({
      writeMode: choice('Write mode, which determines the tables that are written (`SVC_MIGRATION_V4_WRITE_MODE`).', writeModes),
      otelBehaviour: choice('Path of spans without a version header (`SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR`).', otelBehaviours),
      previewOptIn: flag('Enable the v4 read paths (`SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN`).'),
    }),
    kafka: group({
      brokers: list('Addresses (host:port) of some brokers, from which clients learn the addresses of the other brokers.', {
        type: 'string',
        pattern: '^[^:,\\s]+:[0-9]+$',
      }),
      topicPrefix: text('Prefix of every topic and consumer group.', { pattern: '^[A-Za-z0-9._-]+$' }),
      createTopics: flag('Create missing topics at startup.'),
      replicationFactor: {
        type: ['integer', 'null'],
        minimum: 1,
        maximum: 32,
        description:
          'Number of replicas of each topic that the services create. If the value is null, the number is 3, or the number of brokers if there are fewer.',
      },
      partitions: group({
        direct: whole(
          'Number of partitions with which the topic spans.direct is created. Choose one partition for every 5,000 spans per second at the peak.',
          1,
        ),
        staging: whole(
          'Number of partitions of the staged topics. The number of partitions can never be changed after the topics are created.',
          1,
        ),
      }),
      tls: group({
        enabled: flag('Connect to the brokers with TLS.'),
        serverName: text('Host name in the brokers’ certificates, if it differs from the brokers’ addresses.'),
        caSecret: secret('the brokers’ certificate authority. With Strimzi, use `<cluster>-cluster-ca-cert`', {
          key: 'the authority’s certificate.',
        }),
        clientSecret: secret('the client certificate. With Strimzi, use the secret of the KafkaUser', {
          certKey: 'the certificate.',
          keyKey: 'the private key.',
          passphraseKey: 'the private key’s passphrase. If the value is empty, the private key has no passphrase.',
        }),
      }),
      sasl: group({
        mechanism: choice(
          'SASL mechanism with which clients authenticate at the brokers. If the value is empty, clients do not use SASL.',
          ['', 'plain', 'scram-sha-256', 'scram-sha-512'],
        ),
        username: text('Name of the SASL user. If the value is empty, the user has the name of the secret, as with Strimzi.'),
        existingSecret: secret('the SASL user. With Strimzi, use the secret of the KafkaUser', {
          usernameKey: 'the user’s name, if the secret contains the name.',
          passwordKey: 'the user’s password.',
        }),
      }),
    }),
    columnStore: group({
      url: text('HTTP address of the ClickHouse server, version 25.12 or newer.', { pattern: '^(https?://.+)?$' }),
      user: text('User of the ClickHouse server.'),
      database: text('Database on the ClickHouse server. After an upgrade from v3, use the database of v3.'),
      existingSecret: secret('the ClickHouse user’s password', { passwordKey: 'the password.' }),
      cluster: group({ enabled: flag('Create replicated tables, ON CLUSTER.'), name: text('Name of the ClickHouse cluster.') }),
      lightweightUpdates: flag('Change bookmarks and public flags with lightweight updates.'),
    }),
    database: group({
      existingSecret: secret('the PostgreSQL server, version 15 or newer', {
        urlKey: 'the complete postgresql:// URL. Special characters of the URL must be percent-encoded.',
      }),
      port: whole('Port of the PostgreSQL server, which the network policy allows.', 1),
    }),
    salt: group({
      existingSecret: secret('the salt with which API keys are hashed. After an upgrade from v3, use the salt of v3', {
        key: 'the salt.',
      }),
    }),
    tls: group({
      existingSecret: secret(
        'the TLS certificate for all ports that clients reach (HTTP, gRPC, public API), in the format of cert-manager. ' +
          'Pods load a renewed certificate without a restart. If the name is empty, the ports do not use TLS, because an ingress terminates it',
        {
          certKey:
            'the certificate and its chain. The certificate must also name the Services of the gateway and the API, because the API forwards OTLP to the gateway and sends canaries to the API.',
          keyKey: 'the private key.',
          caKey: 'the private authority’s certificate. If the value is empty, a public authority signed the certificate.',
        },
      ),
    }),
    certificateAuthority: group({
      existingSecret: secret(
        'the certificates (PEM, one or several) of private authorities that sign the certificates of stores, collectors and other servers that pods connect to. ' +
          'Every pod and the schema job mount the secret and trust these authorities in addition to the public ones (`NODE_EXTRA_CA_CERTS`). If the name is empty, no private authority is trusted',
        { key: 'the certificates.' },
      ),
      configMap: group({
        name: text(
          'Config map with the certificates of private authorities, in the format of trust-manager. Replaces the secret.',
          resourceName,
        ),
        key: text('Name of the config map’s entry with the certificates.'),
      }),
    }),
    basePath: text(
      'Prefix of the path of every route, such as /svc. `ingress` and `httpRoute` route the prefixed paths, and gateway and API remove the prefix (`SVC_BASE_PATH`). If the value is empty, paths have no prefix.',
      { pattern: '^(/[A-Za-z0-9._~-]+)*$' },
    ),
    apiSecrets: group({
      existingSecret: secret('the public API’s secrets. If a key is empty, its variable is not set', {
        encryptionKeyKey:
          'the encryption key (64 hexadecimal digits) for stored secrets (`ENCRYPTION_KEY`). After an upgrade from v3, use the encryption key of v3.',
        previousEncryptionKeysKey: 'the previous encryption keys, which are separated by commas (`ENCRYPTION_KEYS_PREVIOUS`).',
        adminApiKeyKey: 'the API key that administers the instance (`ADMIN_API_KEY`).',
        firstUserPasswordKey: 'the first user’s password (`SVC_INIT_USER_PASSWORD`).',
        oidcClientSecretKey: 'the client secret that the identity provider issued (`SVC_OIDC_CLIENT_SECRET`).',
      }),
    }),
    media: group({
      bucket: text(
        'Bucket for media in an S3-compatible store (`SVC_S3_MEDIA_UPLOAD_BUCKET`). If the value is empty, the API refuses media.',
      ),
      prefix: text('Prefix of the object keys of media, with a trailing slash (`SVC_S3_MEDIA_UPLOAD_PREFIX`).'),
      region: text('Region of the bucket (`SVC_S3_MEDIA_UPLOAD_REGION`).'),
      endpoint: text(
        'Address of the S3-compatible store (`SVC_S3_MEDIA_UPLOAD_ENDPOINT`). If the value is empty, the store is AWS. The network policy allows the API to connect to the port of this address.',
        {
          pattern: '^(https?://.+)?$',
        },
      ),
      forcePathStyle: flag(
        'Put the name of the bucket in the path of a URL, not in the host name (`SVC_S3_MEDIA_UPLOAD_FORCE_PATH_STYLE`).',
      ),
      upload: choice(
        'How clients upload and download media: through the API (proxy) or at URLs of the store (direct) (`SVC_MEDIA_UPLOAD`).',
        ['proxy', 'direct'],
      ),
      existingSecret: secret('the store’s access key. If the name is empty, the access key of the pod’s role is used', {
        accessKeyIdKey: 'the access key ID.',
        secretAccessKeyKey: 'the secret access key.',
      }),
    }),
    canary: group({
      enabled: flag(
        'Send test spans (canaries) continuously into a separate project and read them back (`SVC_CANARY_URL`). The metric svc_canary_seconds measures how long each canary takes.',
      ),
      url: text(
        'Address to which canaries are sent, such as the ingress that clients use. If the value is empty, canaries are sent to the Service of the API.',
        {
          pattern: '^(https?://[^/?#]+(/[^?#]*)?)?$',
        },
      ),
    }),
    traces: group({
      url: text(
        'Complete URL to which the services send traces of their own work, as OTLP over HTTP (`SVC_TRACES_URL`). Allow the connection in `networkPolicy.moreEgress`. If the value is empty, the services record no traces.',
        { pattern: '^(https?://.+)?$' },
      ),
      existingSecret: secret(
        'additional headers of the requests that send traces. If the name is empty, the requests have no additional headers',
        {
          headersKey: 'the headers, in the form `name=value,name=value` with percent-encoded values.',
        },
      ),
    }),
    firstProject: group({
      organization: text('Id of the first project’s organization.'),
      project: text('Id of the first project, which the services create if it is missing.'),
      existingSecret: secret('the first project’s key pair. If the name is empty, no project is created', {
        publicKeyKey: 'the public key.',
        secretKeyKey: 'the secret key.',
      }),
    }),
    schemaJob: group({
      enabled: flag(
        'Run a job that migrates the schemas before each release. If the job is off, the services migrate the schemas when they start.',
      ),
      backoffLimit: whole('Number of times that Kubernetes retries a failed schema job.', 0),
      deadlineSeconds: whole('Seconds after which Kubernetes ends the schema job, with all of its attempts.', 1),
      resources: kubernetes('CPU and memory requests and limits of the schema job.'),
      extraVolumes: kubernetes('Volumes of the schema job, which replace `global.extraVolumes`.', 'array'),
      extraVolumeMounts: kubernetes('Mounts of the schema job, which replace `global.extraVolumeMounts`.', 'array'),
    }),
    global: group({
      env: variables('Environment variables that all services have and that no other value sets.', commonVariables),
      ...shared,
    }),
    ...Object.fromEntries(components.map(component => [component.key, blockOf(component)])),
    ingress: group({
      enabled: flag('Create an Ingress that routes /api/public/otel to the gateway, and everything else to the API and its web app.'),
      className: text('Ingress class.'),
      annotations: texts('Annotations of the Ingress, such as limits of body sizes.'),
      host: text('Host name of the public API and the web app.'),
      otlpHost: text(
        'Host name on which OTLP exporters reach the gateway at /v1/traces. If the value is empty, there is no separate host for OTLP.',
      ),
      tlsSecret: text('Secret of the TLS certificate. If the value is empty, the host uses HTTP without TLS.'),
    }),
    httpRoute: group({
      enabled: flag('Create HTTPRoutes of the Gateway API, with the same routes as the Ingress.'),
      parentRefs: kubernetes('Gateways of the cluster to which the HTTPRoutes attach.', 'array'),
      hostnames: list('Host names of the public API and the web app.', { type: 'string' }),
      otlpHostnames: list('Host names on which OTLP exporters reach the gateway at /v1/traces.', { type: 'string' }),
    }),
    networkPolicy: group({
      enabled: flag('Create a NetworkPolicy for each service.'),
      clients: kubernetes(
        'Peers that can connect to the ports of the API and the gateway. If the value is empty, all peers can connect.',
        'array',
      ),
      monitoring: kubernetes('Peers that can connect to the metrics ports. If the value is empty, all peers can connect.', 'array'),
      egress: flag('Allow the services and the schema job to connect only to name servers and to the ports of their stores.'),
      moreEgress: kubernetes('Additional egress rules.', 'array'),
    }),
    serviceAccount: group({
      create: flag('Create a service account for the release. The account has no permissions, and pods do not mount its token.'),
      name: text('Name of the service account that is created, or of an existing one that the pods use.'),
      annotations: texts('Annotations of the service account.'),
    }),
    monitoring: group({
      podMonitor: group({
        enabled: flag('Create a PodMonitor of the Prometheus operator.'),
        labels: texts('Labels by which Prometheus selects the PodMonitor.'),
        interval: text('Interval between scrapes.', { pattern: '^[0-9]+(ms|s|m)$' }),
      }),
      rules: group({
        enabled: flag('Create a PrometheusRule with the alerts of docs/runbooks/alerts.md.'),
        labels: texts('Labels by which Prometheus selects the PrometheusRule.'),
        timeScale: {
          type: 'number',
          exclusiveMinimum: 0,
          description: 'Factor by which every duration in the rules is multiplied. Use a factor below 1 to try out alerts.',
        },
      }),
      dashboards: group({
        enabled: flag('Create a ConfigMap for each dashboard.'),
        labels: texts('Labels by which Grafana’s sidecar finds the ConfigMaps.'),
      }),
    }),
    strimzi: group({
      topics: group({
        enabled: flag('Create a KafkaTopic for each topic. The topics remain when the release is uninstalled.'),
        cluster: text('Name of the Kafka resource of Strimzi.'),
        replicas: whole('Number of replicas of each topic.', 1),
        minInsyncReplicas: whole('Number of replicas that must have a record before the brokers acknowledge it.', 1),
      }),
      user: group({
        enabled: flag('Create a KafkaUser with the permissions that the services need.'),
        name: text('Name of the KafkaUser and of the secret that Strimzi creates for it.'),
        authentication: choice('How the KafkaUser authenticates.', ['tls', 'scram-sha-512']),
      }),
    }),
    evaluation: group({
      stores: flag('FOR EVALUATION ONLY: install single-node stores in the release, with generated passwords.'),
      images: group({
        kafka: text('Image of the Kafka broker.'),
        clickhouse: text('Image of the ClickHouse server.'),
        postgres: text('Image of the PostgreSQL server.'),
      }),
      storageSize: text('Size of each store’s volume.'),
    }),
  }),
}
