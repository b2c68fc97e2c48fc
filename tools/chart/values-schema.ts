// Generates the chart's values.schema.json from the variables of the services. With this schema, helm rejects a misspelled variable, and a
// variable that belongs to another service.
import { otelBehaviours, writeModes } from '../../libs/modes/src/write-mode.ts'
import { components } from './components.ts'
import { choice, flag, group, kubernetes, list, type Node, text, texts, whole } from './json-schema.ts'
import { blockOf, commonVariables, shared, variables } from './service-values.ts'

const resourceName = { pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$' }
/**
 * Returns the schema of chart values that refer to a secret: the name of the secret, and one key in the secret for each member of `holds`.
 * The texts in `holds` complete the descriptions of the keys.
 */
const secret = (what: string, holds: Readonly<Record<string, string>>): Node =>
  group({
    name: text(`Secret with ${what}.`, resourceName),
    ...Object.fromEntries(Object.entries(holds).map(([key, held]) => [key, text(`Name of the secret’s entry that contains ${held}`)])),
  })

const image = (what: string): Readonly<Record<string, Node>> => ({
  repository: text(`Image of ${what}.`),
  tag: text('Tag of the image. If empty, the tag is the chart’s appVersion.'),
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
    operatorImage: group(image('the operators’ commands and of the schema job')),
    migration: group({
      writeMode: choice('Write mode, which determines the tables that are written (`SVC_MIGRATION_V4_WRITE_MODE`).', writeModes),
      otelBehaviour: choice('Route of spans that have no version header (`SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR`).', otelBehaviours),
      previewOptIn: flag('Enable the v4 read paths (`SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN`).'),
    }),
    kafka: group({
      brokers: list('Addresses (host:port) of some brokers, from which clients learn the other addresses.', {
        type: 'string',
        pattern: '^[^:,\\s]+:[0-9]+$',
      }),
      topicPrefix: text('Prefix of every topic and consumer group.', { pattern: '^[A-Za-z0-9._-]+$' }),
      createTopics: flag('Create missing topics at startup.'),
      replicationFactor: {
        type: ['integer', 'null'],
        minimum: 1,
        maximum: 32,
        description: 'Replicas of each topic that the services create. If null, the number is 3, but at most the number of brokers.',
      },
      partitions: group({
        direct: whole(
          'Number of partitions with which the topic spans.direct is created. Choose one for every 5,000 spans per second at the peak.',
          1,
        ),
        staging: whole('Partitions of the staged topics. After the topics are created, this number can never be changed.', 1),
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
          passphraseKey: 'the private key’s passphrase, if it has one.',
        }),
      }),
      sasl: group({
        mechanism: choice('SASL mechanism for the brokers. If empty, the services do not use SASL.', [
          '',
          'plain',
          'scram-sha-256',
          'scram-sha-512',
        ]),
        username: text('Name of the SASL user. If empty, the secret’s name is used, as with Strimzi.'),
        existingSecret: secret('the SASL user’s password. With Strimzi, use the secret of the KafkaUser', {
          usernameKey: 'the user’s name, if the secret has such an entry.',
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
      existingSecret: secret('the URL of the PostgreSQL server, version 15 or newer', {
        urlKey: 'the complete postgresql:// URL, with percent-encoded special characters.',
      }),
      port: whole('Port of the PostgreSQL server. The network policy allows this port.', 1),
    }),
    salt: group({
      existingSecret: secret('the salt for hashing API keys. After an upgrade from v3, use the salt of v3', {
        key: 'the salt.',
      }),
    }),
    tls: group({
      existingSecret: secret(
        'the TLS certificate for all ports that clients reach (HTTP, gRPC, public API), in the format of cert-manager. ' +
          'Pods load a renewed certificate without a restart. Without a name, the ports do not use TLS; an ingress then terminates TLS',
        {
          certKey:
            'the certificate and its chain. The certificate must also name the Services of the gateway and of the API. The API connects to the gateway’s Service. If canary.url is not set, the API also sends its canaries to its own Service.',
          keyKey: 'the private key.',
          caKey: 'the private authority’s certificate. Leave this value empty if a public authority issued the certificate.',
        },
      ),
    }),
    certificateAuthority: group({
      existingSecret: secret(
        'the certificates (PEM) of private authorities, which sign the certificates of stores, collectors and other servers. ' +
          'Every pod and the schema job trust these authorities in addition to the public ones (`NODE_EXTRA_CA_CERTS`)',
        { key: 'the certificates.' },
      ),
      configMap: group({
        name: text(
          'Config map with the certificates of private authorities, in the format of trust-manager. Replaces the secret.',
          resourceName,
        ),
        key: text('Name of the config map’s entry that contains the certificates.'),
      }),
    }),
    basePath: text(
      'Path prefix of every route, such as /svc (`SVC_BASE_PATH`). `ingress` and `httpRoute` forward the prefix, and the gateway and the API remove it.',
      { pattern: '^(/[A-Za-z0-9._~-]+)*$' },
    ),
    apiSecrets: group({
      existingSecret: secret('the public API’s secrets. If a key is empty, its variable is not set', {
        encryptionKeyKey:
          'the key that encrypts stored secrets: 64 hexadecimal digits (`ENCRYPTION_KEY`). After an upgrade from v3, use the encryption key of v3.',
        previousEncryptionKeysKey: 'the previous encryption keys, comma-separated (`ENCRYPTION_KEYS_PREVIOUS`).',
        adminApiKeyKey: 'the API key that administers the instance (`ADMIN_API_KEY`).',
        firstUserPasswordKey: 'the first user’s password (`SVC_INIT_USER_PASSWORD`).',
        oidcClientSecretKey: 'the identity provider’s client secret (`SVC_OIDC_CLIENT_SECRET`).',
      }),
    }),
    media: group({
      bucket: text('Bucket for media in an S3-compatible store (`SVC_S3_MEDIA_UPLOAD_BUCKET`). If empty, the API refuses media.'),
      prefix: text('Prefix of the object keys of media, with a trailing slash (`SVC_S3_MEDIA_UPLOAD_PREFIX`).'),
      region: text('Region of the bucket (`SVC_S3_MEDIA_UPLOAD_REGION`).'),
      endpoint: text(
        'Address of the S3-compatible store (`SVC_S3_MEDIA_UPLOAD_ENDPOINT`). If empty, the store is AWS S3. The network policy allows the port of this address.',
        {
          pattern: '^(https?://.+)?$',
        },
      ),
      forcePathStyle: flag('Put the bucket’s name in the path of a URL, not in the host name (`SVC_S3_MEDIA_UPLOAD_FORCE_PATH_STYLE`).'),
      upload: choice(
        'How clients upload and download media: through the API (proxy) or at URLs of the store (direct) (`SVC_MEDIA_UPLOAD`).',
        ['proxy', 'direct'],
      ),
      existingSecret: secret('the store’s access key. Without a name, the access key of the pod’s role is used', {
        accessKeyIdKey: 'the access key ID.',
        secretAccessKeyKey: 'the secret access key.',
      }),
    }),
    canary: group({
      enabled: flag(
        'Send test spans (canaries) into a separate project and read them back (`SVC_CANARY_URL`). The metric svc_canary_seconds measures how long each canary takes.',
      ),
      url: text(
        'Address to which canaries are sent, such as the ingress that clients use. If empty, canaries go to the Service of the API.',
        {
          pattern: '^(https?://[^/?#]+(/[^?#]*)?)?$',
        },
      ),
    }),
    traces: group({
      url: text(
        'Complete URL to which the services send their own traces, as OTLP over HTTP (`SVC_TRACES_URL`). Allow the connection in `networkPolicy.moreEgress`. If empty, the services record no traces.',
        { pattern: '^(https?://.+)?$' },
      ),
      existingSecret: secret('additional headers of the requests that send traces', {
        headersKey: 'the headers, in the form `name=value,name=value` with percent-encoded values.',
      }),
    }),
    firstProject: group({
      organization: text('Id of the first project’s organization.'),
      project: text('Id of the first project, which the services create if it is missing.'),
      existingSecret: secret('the first project’s key pair. Without a name, no project is created', {
        publicKeyKey: 'the project’s public API key.',
        secretKeyKey: 'the project’s secret API key.',
      }),
    }),
    schemaJob: group({
      enabled: flag(
        'Before each install and upgrade, run a job that migrates the schemas. Without the job, the services migrate the schemas when they start.',
      ),
      backoffLimit: whole('Number of times that Kubernetes retries a failed schema job.', 0),
      deadlineSeconds: whole('Time limit in seconds for all attempts of the schema job together. Kubernetes then ends the job.', 1),
      resources: kubernetes('CPU and memory requests and limits of the schema job.'),
      extraVolumes: kubernetes('Volumes of the schema job, which replace `global.extraVolumes`.', 'array'),
      extraVolumeMounts: kubernetes('Volume mounts of the schema job. They replace `global.extraVolumeMounts`.', 'array'),
    }),
    global: group({
      env: variables('Environment variables of all services. Set only variables that no other value sets.', commonVariables),
      ...shared,
    }),
    ...Object.fromEntries(components.map(component => [component.key, blockOf(component)])),
    ingress: group({
      enabled: flag('Create an Ingress that routes /api/public/otel to the gateway, and everything else to the API and its web app.'),
      className: text('Ingress class.'),
      annotations: texts('Annotations of the Ingress, such as limits of body sizes.'),
      host: text('Host name of the public API and the web app.'),
      otlpHost: text('Separate host name on which OTLP exporters reach the gateway at /v1/traces.'),
      tlsSecret: text('Secret with the TLS certificate. If empty, the host uses HTTP without TLS.'),
    }),
    httpRoute: group({
      enabled: flag('Create HTTPRoutes of the Gateway API, with the same routes as the Ingress.'),
      parentRefs: kubernetes('Gateways that the HTTPRoutes attach to.', 'array'),
      hostnames: list('Host names of the public API and the web app.', { type: 'string' }),
      otlpHostnames: list('Host names on which OTLP exporters reach the gateway at /v1/traces.', { type: 'string' }),
    }),
    networkPolicy: group({
      enabled: flag('Create a NetworkPolicy for each service.'),
      clients: kubernetes('Peers that can connect to the API and the gateway. If empty, all peers can connect.', 'array'),
      monitoring: kubernetes('Peers that can connect to the metrics ports. If empty, all peers can connect.', 'array'),
      egress: flag('Allow the services and the schema job to connect only to name servers and to the ports of their stores.'),
      moreEgress: kubernetes('Additional egress rules.', 'array'),
    }),
    serviceAccount: group({
      create: flag('Create a service account for the release. The account has no permissions.'),
      name: text('Name of the created or existing service account.'),
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
