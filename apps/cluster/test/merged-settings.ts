// Settings of a cluster in write mode `dual`, with short windows.
export const dual = {
  SVC_MIGRATION_V4_WRITE_MODE: 'dual',
  SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
  SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false',
  SVC_PROPAGATION_WINDOW_SECONDS: '4',
  SVC_PROPAGATION_GRACE_MS: '500',
  SVC_KAFKA_SESSION_TIMEOUT_MS: '6000',
}
