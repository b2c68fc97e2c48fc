{{- define "svc.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{- else -}}{{ printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "component" "gateway") → labels that selectors match. These labels must never change. */}}
{{- define "svc.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: svc
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "svc.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}{{ default (include "svc.fullname" .) .Values.serviceAccount.name }}{{- else -}}{{ default "default" .Values.serviceAccount.name }}{{- end -}}
{{- end -}}

{{/* (dict "root" $ "image" map) */}}
{{- define "svc.image" -}}
{{- if .image.digest -}}{{ .image.repository }}@{{ .image.digest }}{{- else -}}{{ .image.repository }}:{{ default .root.Chart.AppVersion .image.tag }}{{- end -}}
{{- end -}}

{{/* (dict "root" $ "key" "gateway") → the service's values as YAML. The service's own values take precedence over those of `global`. */}}
{{- define "svc.component" -}}
{{- toYaml (mergeOverwrite (deepCopy .root.Values.global) (deepCopy (index .root.Values .key))) -}}
{{- end -}}

{{- /* Whether a merger runs: merger.enabled decides; if it is not set, a merger runs in the write modes that write the tables of v3. */ -}}
{{- define "svc.merges" -}}
{{- kindIs "bool" .Values.merger.enabled | ternary .Values.merger.enabled (ne .Values.migration.writeMode "events_only") -}}
{{- end -}}

{{- define "svc.stateName" -}}{{ include "svc.fullname" . }}-installed{{- end -}}
