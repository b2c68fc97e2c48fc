{{/* Environment variables of the services, by topic. Each list is YAML. A test checks that the services know every name. */}}

{{- define "svc.env.process" -}}
- { name: SVC_BIND, value: {{ .component.bind | quote }} }
- { name: SVC_LOG_FORMAT, value: json }
- { name: SVC_DRAIN_GRACE_MS, value: {{ printf "%ds" (int .component.drainSeconds) | quote }} }
{{- include "svc.env.authority" . }}
{{- with .root.Values.traces }}{{- if .url }}
- { name: SVC_TRACES_URL, value: {{ .url | quote }} }
{{- if .existingSecret.name }}
- name: SVC_TRACES_HEADERS
  valueFrom: { secretKeyRef: { name: {{ .existingSecret.name }}, key: {{ .existingSecret.headersKey }} } }
{{- end }}
{{- end }}{{- end }}
{{- end -}}

{{- define "svc.env.migration" -}}
{{- with .root.Values.migration -}}
- { name: SVC_MIGRATION_V4_WRITE_MODE, value: {{ .writeMode }} }
- { name: SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR, value: {{ .otelBehaviour }} }
- { name: SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN, value: {{ .previewOptIn | quote }} }
{{- end -}}
{{- end -}}

{{- define "svc.env.log" -}}
{{- $kafka := .root.Values.kafka -}}
- { name: SVC_LOG, value: kafka }
- { name: SVC_KAFKA_BROKERS, value: {{ include "svc.brokers" .root | quote }} }
- { name: SVC_TOPIC_PREFIX, value: {{ $kafka.topicPrefix | quote }} }
- { name: SVC_KAFKA_CREATE_TOPICS, value: {{ $kafka.createTopics | quote }} }
- { name: SVC_TOPIC_PARTITIONS_DIRECT, value: {{ $kafka.partitions.direct | int | quote }} }
- { name: SVC_TOPIC_PARTITIONS_STAGING, value: {{ $kafka.partitions.staging | int | quote }} }
{{- if $kafka.replicationFactor }}
- { name: SVC_KAFKA_REPLICATION_FACTOR, value: {{ $kafka.replicationFactor | int | quote }} }
{{- end }}
{{- if $kafka.tls.enabled }}
- { name: SVC_KAFKA_TLS_ENABLED, value: "true" }
{{- with $kafka.tls.serverName }}
- { name: SVC_KAFKA_TLS_SERVER_NAME, value: {{ . | quote }} }
{{- end }}
{{- if $kafka.tls.caSecret.name }}
- { name: SVC_KAFKA_TLS_CA_FILE, value: /etc/svc/kafka-ca/{{ $kafka.tls.caSecret.key }} }
{{- end }}
{{- with $kafka.tls.clientSecret }}{{- if .name }}
- { name: SVC_KAFKA_TLS_CERT_FILE, value: /etc/svc/kafka-client/{{ .certKey }} }
- { name: SVC_KAFKA_TLS_KEY_FILE, value: /etc/svc/kafka-client/{{ .keyKey }} }
{{- if .passphraseKey }}
- name: SVC_KAFKA_TLS_KEY_PASSPHRASE
  valueFrom: { secretKeyRef: { name: {{ .name }}, key: {{ .passphraseKey }} } }
{{- end }}
{{- end }}{{- end }}
{{- end }}
{{- with $kafka.sasl }}{{- if .mechanism }}
- { name: SVC_KAFKA_SASL_MECHANISM, value: {{ .mechanism }} }
{{- if .existingSecret.usernameKey }}
- name: SVC_KAFKA_SASL_USERNAME
  valueFrom: { secretKeyRef: { name: {{ .existingSecret.name }}, key: {{ .existingSecret.usernameKey }} } }
{{- else }}
- { name: SVC_KAFKA_SASL_USERNAME, value: {{ default .existingSecret.name .username | quote }} }
{{- end }}
- name: SVC_KAFKA_SASL_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .existingSecret.name }}, key: {{ .existingSecret.passwordKey }} } }
{{- end }}{{- end }}
{{- end -}}

{{- define "svc.env.columnStore" -}}
{{- $evaluation := .root.Values.evaluation.stores -}}
{{- $name := include "svc.fullname" .root -}}
{{- with .root.Values.columnStore -}}
- { name: COLUMNSTORE_URL, value: {{ $evaluation | ternary (printf "http://%s-clickhouse:8123" $name) .url | quote }} }
- { name: COLUMNSTORE_USER, value: {{ .user | quote }} }
- { name: COLUMNSTORE_DB, value: {{ .database | quote }} }
{{- $secret := $evaluation | ternary (printf "%s-evaluation" $name) .existingSecret.name }}
{{- if $secret }}
- name: COLUMNSTORE_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ $evaluation | ternary "columnStorePassword" .existingSecret.passwordKey }} } }
{{- end }}
{{- if .cluster.enabled }}
- { name: COLUMNSTORE_CLUSTER_ENABLED, value: "true" }
- { name: COLUMNSTORE_CLUSTER_NAME, value: {{ .cluster.name | quote }} }
{{- end }}
{{- if .lightweightUpdates }}
- { name: COLUMNSTORE_USE_LIGHTWEIGHT_UPDATE, value: "true" }
{{- end }}
{{- end -}}
{{- end -}}

{{- define "svc.env.database" -}}
{{- $evaluation := .root.Values.evaluation.stores -}}
{{- with .root.Values.database.existingSecret -}}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ $evaluation | ternary (printf "%s-evaluation" (include "svc.fullname" $.root)) .name }}, key: {{ $evaluation | ternary "databaseUrl" .urlKey }} } }
{{- end }}
{{- if .root.Values.schemaJob.enabled }}
- { name: SVC_AUTO_POSTGRES_MIGRATION_DISABLED, value: "true" }
{{- end }}
{{- end -}}

{{- define "svc.env.tables" -}}
{{- if .root.Values.schemaJob.enabled -}}
- { name: SVC_AUTO_COLUMNSTORE_MIGRATION_DISABLED, value: "true" }
{{- end -}}
{{- end -}}

{{- define "svc.env.keys" -}}
{{- $evaluation := .root.Values.evaluation.stores -}}
{{- $own := printf "%s-evaluation" (include "svc.fullname" .root) -}}
{{- with .root.Values.salt.existingSecret -}}
- name: SALT
  valueFrom: { secretKeyRef: { name: {{ $evaluation | ternary $own .name }}, key: {{ $evaluation | ternary "salt" .key }} } }
{{- end }}
{{- $secret := $evaluation | ternary $own .root.Values.firstProject.existingSecret.name }}
{{- if $secret }}
{{- with .root.Values.firstProject }}
- { name: SVC_INIT_ORG_ID, value: {{ .organization | quote }} }
- { name: SVC_INIT_PROJECT_ID, value: {{ .project | quote }} }
- name: SVC_INIT_PROJECT_PUBLIC_KEY
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ $evaluation | ternary "publicKey" .existingSecret.publicKeyKey }} } }
- name: SVC_INIT_PROJECT_SECRET_KEY
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ $evaluation | ternary "secretKey" .existingSecret.secretKeyKey }} } }
{{- end }}
{{- end }}
{{- end -}}

{{/* The certificate of the ports that clients reach. It is in files of a volume, so that a renewed certificate is loaded without a restart. */}}
{{- define "svc.env.clientTls" -}}
{{- with .root.Values.tls.existingSecret -}}
{{- if .name -}}
- { name: SVC_TLS_CERT_FILE, value: /etc/svc/tls/{{ .certKey }} }
- { name: SVC_TLS_KEY_FILE, value: /etc/svc/tls/{{ .keyKey }} }
{{- if .caKey }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/svc/tls/{{ .caKey }} }
{{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Path prefix that clients use, and that an ingress forwards unchanged. */}}
{{- define "svc.env.basePath" -}}
{{- with .root.Values.basePath -}}
- { name: SVC_BASE_PATH, value: {{ . | quote }} }
{{- end -}}
{{- end -}}

{{/* Certificate authority that Node trusts in addition to the public ones, for stores, gateways and collectors. */}}
{{- define "svc.env.authority" -}}
{{- with include "svc.authorityKey" .root }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/svc/authority/{{ . }} }
{{- end }}
{{- end -}}

{{- define "svc.authorityKey" -}}
{{- with .Values.certificateAuthority -}}
{{- if .existingSecret.name -}}{{ .existingSecret.key }}{{- else if .configMap.name -}}{{ .configMap.key }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Variables of only the public API: its ports, the gateways behind it, and the address of its canary. */}}
{{- define "svc.env.publicApi" -}}
{{- $scheme := (ne .Values.tls.existingSecret.name "") | ternary "https" "http" -}}
- { name: PORT, value: "3000" }
- { name: SVC_API_PROBE_PORT, value: "3010" }
- { name: SVC_WEB_DIR, value: /srv/web }
- { name: SVC_OTLP_URL, value: "{{ $scheme }}://{{ include "svc.fullname" . }}-gateway:4318" }
{{- if .Values.canary.enabled }}
- { name: SVC_CANARY_URL, value: {{ default (printf "%s://%s-api:3000" $scheme (include "svc.fullname" .)) .Values.canary.url | quote }} }
{{- end }}
{{- end -}}

{{/* Where the public API stores media. */}}
{{- define "svc.env.media" -}}
{{- with .root.Values.media -}}
{{- if .bucket -}}
- { name: SVC_S3_MEDIA_UPLOAD_BUCKET, value: {{ .bucket | quote }} }
- { name: SVC_MEDIA_UPLOAD, value: {{ .upload }} }
- { name: SVC_S3_MEDIA_UPLOAD_FORCE_PATH_STYLE, value: {{ .forcePathStyle | quote }} }
{{- with .prefix }}
- { name: SVC_S3_MEDIA_UPLOAD_PREFIX, value: {{ . | quote }} }
{{- end }}
{{- with .region }}
- { name: SVC_S3_MEDIA_UPLOAD_REGION, value: {{ . | quote }} }
{{- end }}
{{- with .endpoint }}
- { name: SVC_S3_MEDIA_UPLOAD_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- with .existingSecret }}{{- if .name }}
- name: SVC_S3_MEDIA_UPLOAD_ACCESS_KEY_ID
  valueFrom: { secretKeyRef: { name: {{ .name }}, key: {{ .accessKeyIdKey }} } }
- name: SVC_S3_MEDIA_UPLOAD_SECRET_ACCESS_KEY
  valueFrom: { secretKeyRef: { name: {{ .name }}, key: {{ .secretAccessKeyKey }} } }
{{- end }}{{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Secrets of only the public API. */}}
{{- define "svc.env.apiSecrets" -}}
{{- with .root.Values.apiSecrets.existingSecret -}}
{{- $secret := .name -}}
{{- if $secret -}}
{{- range $name, $key := dict "ENCRYPTION_KEY" .encryptionKeyKey "ENCRYPTION_KEYS_PREVIOUS" .previousEncryptionKeysKey "ADMIN_API_KEY" .adminApiKeyKey "SVC_INIT_USER_PASSWORD" .firstUserPasswordKey "SVC_OIDC_CLIENT_SECRET" .oidcClientSecretKey -}}
{{- if $key }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ $key }} } }
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Variables of `env` come last. Those of the service take precedence over those of `global`. */}}
{{- define "svc.env.byHand" -}}
{{- range $name, $value := .component.env }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end -}}

{{- define "svc.brokers" -}}
{{- if .Values.evaluation.stores -}}{{ include "svc.fullname" . }}-kafka:9092{{- else -}}{{ join "," .Values.kafka.brokers }}{{- end -}}
{{- end -}}

{{/* Volumes with the files that pods with access to the stores read, and extraVolumes: (dict "root" $ "component" map) */}}
{{- define "svc.volumes" -}}
{{- with .root.Values.certificateAuthority -}}
{{- if .existingSecret.name }}
- { name: authority, secret: { secretName: {{ .existingSecret.name }}, items: [{ key: {{ .existingSecret.key }}, path: {{ .existingSecret.key }} }] } }
{{- else if .configMap.name }}
- { name: authority, configMap: { name: {{ .configMap.name }}, items: [{ key: {{ .configMap.key }}, path: {{ .configMap.key }} }] } }
{{- end }}
{{- end -}}
{{- include "svc.kafkaVolumes" .root }}
{{- with .component.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "svc.mounts" -}}
{{- if include "svc.authorityKey" .root }}
- { name: authority, mountPath: /etc/svc/authority, readOnly: true }
{{- end }}
{{- include "svc.kafkaMounts" .root }}
{{- with .component.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "svc.kafkaVolumes" -}}
{{- with .Values.kafka.tls -}}
{{- if and .enabled .caSecret.name }}
- { name: kafka-ca, secret: { secretName: {{ .caSecret.name }}, items: [{ key: {{ .caSecret.key }}, path: {{ .caSecret.key }} }] } }
{{- end }}
{{- if and .enabled .clientSecret.name }}
- name: kafka-client
  secret:
    secretName: {{ .clientSecret.name }}
    items:
      - { key: {{ .clientSecret.certKey }}, path: {{ .clientSecret.certKey }} }
      - { key: {{ .clientSecret.keyKey }}, path: {{ .clientSecret.keyKey }} }
{{- end }}
{{- end -}}
{{- end -}}

{{- define "svc.kafkaMounts" -}}
{{- with .Values.kafka.tls -}}
{{- if and .enabled .caSecret.name }}
- { name: kafka-ca, mountPath: /etc/svc/kafka-ca, readOnly: true }
{{- end }}
{{- if and .enabled .clientSecret.name }}
- { name: kafka-client, mountPath: /etc/svc/kafka-client, readOnly: true }
{{- end }}
{{- end -}}
{{- end -}}

{{- define "svc.clientTlsVolume" -}}
{{- with .Values.tls.existingSecret -}}
{{- if .name }}
- name: client-tls
  secret:
    secretName: {{ .name }}
    items:
      - { key: {{ .certKey }}, path: {{ .certKey }} }
      - { key: {{ .keyKey }}, path: {{ .keyKey }} }
      {{- if .caKey }}
      - { key: {{ .caKey }}, path: {{ .caKey }} }
      {{- end }}
{{- end }}
{{- end -}}
{{- end -}}
