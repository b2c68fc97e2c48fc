{{/*
The pod of a service: (dict "root" $ "name" "gateway" "component" map "main" "services/…" "env" list of helpers "ports" list "probePort" "3020" "state" bool)
*/}}
{{- define "svc.podTemplate" -}}
{{- $c := .component -}}
{{- $context := dict "root" .root "component" .name -}}
metadata:
  labels:
    {{- include "svc.labels" $context | nindent 4 }}
    {{- with $c.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with $c.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "svc.serviceAccount" .root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ add (int $c.drainSeconds) (int (default 0 $c.preStopSeconds)) 15 }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $c.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    {{- toYaml $c.podSecurityContext | nindent 4 }}
  containers:
    - name: {{ .name }}
      image: {{ include "svc.image" (dict "root" .root "image" (mergeOverwrite (deepCopy .root.Values.image) (default (dict) $c.image))) }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: [node, {{ .main }}]
      env:
        {{- $given := dict "root" .root "component" $c }}
        {{- range .env }}
        {{- with include (printf "svc.env.%s" .) $given | trim }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- end }}
        {{- with .more }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with include "svc.env.byHand" $given | trim }}
        {{- . | nindent 8 }}
        {{- end }}
      {{- with $c.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        {{- range .ports }}
        - { name: {{ .name }}, containerPort: {{ .port }} }
        {{- end }}
      startupProbe:
        httpGet: { path: /health/startup, port: metrics }
        {{- toYaml $c.probes.startup | nindent 8 }}
      livenessProbe:
        httpGet: { path: {{ $c.probes.restartWithoutProgress | ternary "/health/progress" "/health/live" }}, port: metrics }
        {{- toYaml $c.probes.live | nindent 8 }}
      readinessProbe:
        httpGet: { path: /health/ready, port: metrics }
        {{- toYaml $c.probes.ready | nindent 8 }}
      {{- with $c.preStopSeconds }}
      lifecycle:
        # Waits until every proxy has learned that this pod stops.
        preStop: { sleep: { seconds: {{ int . }} } }
      {{- end }}
      resources:
        {{- toYaml $c.resources | nindent 8 }}
      securityContext:
        {{- toYaml $c.securityContext | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- if .state }}
        - { name: state, mountPath: /var/lib/svc }
        {{- end }}
        {{- include "svc.mounts" $given | nindent 8 }}
        {{- if and (has "clientTls" .env) .root.Values.tls.existingSecret.name }}
        - { name: client-tls, mountPath: /etc/svc/tls, readOnly: true }
        {{- end }}
  volumes:
    - { name: tmp, emptyDir: { sizeLimit: 256Mi } }
    {{- if and .state (not $c.storage.enabled) }}
    - { name: state, emptyDir: { sizeLimit: {{ $c.storage.size }} } }
    {{- end }}
    {{- include "svc.volumes" (dict "root" .root "component" $c) | nindent 4 }}
    {{- if has "clientTls" .env }}
    {{- include "svc.clientTlsVolume" .root | nindent 4 }}
    {{- end }}
  {{- with $c.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $c.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $c.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $c.topologySpread.keys }}
  topologySpreadConstraints:
    {{- range . }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $c.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "svc.selector" $context | nindent 10 }}
    {{- end }}
  {{- end }}
{{- end -}}

{{/* (dict "root" $ "name" "gateway" "component" map): a disruption budget, if more than one replica is configured. */}}
{{- define "svc.pdb" -}}
{{- $scaling := default (dict "enabled" false "minReplicas" 0) .component.autoscaling -}}
{{- $least := $scaling.enabled | ternary $scaling.minReplicas .component.replicas | int -}}
{{- if and .component.pdb.enabled (gt $least 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "svc.fullname" .root }}-{{ .name }}
  labels:
    {{- include "svc.labels" (dict "root" .root "component" .name) | nindent 4 }}
spec:
  maxUnavailable: {{ .component.pdb.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "svc.selector" (dict "root" .root "component" .name) | nindent 6 }}
{{- end }}
{{- end -}}

{{- define "svc.hpa" -}}
{{- if .component.autoscaling.enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "svc.fullname" .root }}-{{ .name }}
  labels:
    {{- include "svc.labels" (dict "root" .root "component" .name) | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ include "svc.fullname" .root }}-{{ .name }} }
  minReplicas: {{ .component.autoscaling.minReplicas }}
  maxReplicas: {{ .component.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ .component.autoscaling.cpuPercent }} } }
  behavior:
    scaleDown: { stabilizationWindowSeconds: 300, policies: [{ type: Pods, value: 1, periodSeconds: 60 }] }
{{- end }}
{{- end -}}

{{/* (dict "root" $ "name" "writer" "kind" "Deployment" "component" map "group" "writer" "topics" list): scales by lag, to at most the number of partitions. */}}
{{- define "svc.scaledObject" -}}
{{- $a := .component.autoscaling -}}
{{- $root := .root -}}
{{- $group := .group -}}
{{- if $a.enabled }}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ include "svc.fullname" .root }}-{{ .name }}
  labels:
    {{- include "svc.labels" (dict "root" .root "component" .name) | nindent 4 }}
spec:
  scaleTargetRef: { kind: {{ .kind }}, name: {{ include "svc.fullname" .root }}-{{ .name }} }
  minReplicaCount: {{ $a.minReplicas }}
  maxReplicaCount: {{ $a.maxReplicas }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        # Longer than a drain: if one member left while a different one joined, the group would rebalance twice.
        scaleDown: { stabilizationWindowSeconds: {{ $a.stabilizationSeconds }}, policies: [{ type: Pods, value: 1, periodSeconds: 120 }] }
  triggers:
    {{- range .topics }}
    - type: kafka
      metadata:
        bootstrapServers: {{ include "svc.brokers" $root | quote }}
        consumerGroup: {{ $root.Values.kafka.topicPrefix }}{{ $group }}
        topic: {{ $root.Values.kafka.topicPrefix }}{{ . }}
        lagThreshold: {{ $a.lagRecords | int | quote }}
        activationLagThreshold: {{ $a.activationLagRecords | int | quote }}
        offsetResetPolicy: earliest
        allowIdleConsumers: "false"
        limitToPartitionsWithLag: "false"
        excludePersistentLag: "true"
        {{- if $root.Values.kafka.tls.enabled }}
        tls: enable
        {{- end }}
        {{- with $root.Values.kafka.sasl.mechanism }}
        sasl: {{ . | replace "scram-sha-" "scram_sha" | replace "plain" "plaintext" }}
        {{- end }}
      {{- if or $root.Values.kafka.tls.enabled $root.Values.kafka.sasl.mechanism }}
      authenticationRef: { name: {{ include "svc.fullname" $root }}-kafka }
      {{- end }}
    {{- end }}
{{- end }}
{{- end -}}
