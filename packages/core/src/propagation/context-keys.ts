// OpenTelemetry context keys of the propagated attributes.
import { createContextKey } from '@opentelemetry/api'
import type { ScalarName } from './keys.ts'

// The calls are marked as pure, so that a bundler drops unused keys.
export const SvcOtelContextKeys: Readonly<Record<ScalarName | 'tags' | 'metadata', symbol>> = {
  userId: /* @__PURE__ */ createContextKey('svc_user_id'),
  sessionId: /* @__PURE__ */ createContextKey('svc_session_id'),
  version: /* @__PURE__ */ createContextKey('svc_version'),
  traceName: /* @__PURE__ */ createContextKey('svc_trace_name'),
  environment: /* @__PURE__ */ createContextKey('svc_environment'),
  tags: /* @__PURE__ */ createContextKey('svc_tags'),
  metadata: /* @__PURE__ */ createContextKey('svc_metadata'),
  promptName: /* @__PURE__ */ createContextKey('svc_prompt_name'),
  promptVersion: /* @__PURE__ */ createContextKey('svc_prompt_version'),
  experimentId: /* @__PURE__ */ createContextKey('svc_experiment_id'),
  experimentName: /* @__PURE__ */ createContextKey('svc_experiment_name'),
  experimentMetadata: /* @__PURE__ */ createContextKey('svc_experiment_metadata'),
  experimentDatasetId: /* @__PURE__ */ createContextKey('svc_experiment_dataset_id'),
  experimentItemId: /* @__PURE__ */ createContextKey('svc_experiment_item_id'),
  experimentItemMetadata: /* @__PURE__ */ createContextKey('svc_experiment_item_metadata'),
  experimentItemRootObservationId: /* @__PURE__ */ createContextKey('svc_experiment_item_root_observation_id'),
}
