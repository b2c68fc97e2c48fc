// The three migration variables (contract §9.3). A combination that loses or hides data stops every process at startup.
import { validateMigrationVariables } from '@svc-server/modes/migration-variables'
import { otelBehaviours, writeModes } from '@svc-server/modes/write-mode'
import { setting, type ValuesOf } from '@svc-server/service/configuration'

export const migrationSettings = {
  writeMode: setting.choice(writeModes, {
    env: 'SVC_MIGRATION_V4_WRITE_MODE',
    default: 'events_only',
    says: 'Tables to which the server writes accepted data. Records that an older release appended can lack a write mode. For such a record, the server uses the write mode of this variable.',
  }),
  otelBehaviour: setting.choice(otelBehaviours, {
    env: 'SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR',
    default: 'direct',
    says: 'Path for spans of requests without the header x-svc-ingestion-version, unless their SDK propagates trace attributes itself. With dual_write, the spans take the staging path.',
  }),
  previewOptIn: setting.flag({
    env: 'SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN',
    default: true,
    says: 'Serve the v4 read paths. Must be true with events_only.',
  }),
}

/** Returns the problems for the `validate` function of a service. Each problem names every variable to change (contract §3.1). */
export function migrationProblems(variables: ValuesOf<typeof migrationSettings>): readonly string[] {
  const validity = validateMigrationVariables(variables)
  return validity.ok ? [] : [validity.message]
}
