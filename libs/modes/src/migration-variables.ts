// Checks the migration variables together. An invalid combination would lose or hide data, so the process does not start.
import type { OtelBehaviour, WriteMode } from './write-mode.ts'

export interface MigrationVariables {
  readonly writeMode: WriteMode
  readonly otelBehaviour: OtelBehaviour
  readonly previewOptIn: boolean
  /** Absent if the process does not run the backfill. */
  readonly historicBackfill?: boolean
}

export type Validity = { readonly ok: true } | { readonly ok: false; readonly message: string }

const migrationVariableNames = {
  writeMode: 'SVC_MIGRATION_V4_WRITE_MODE',
  otelBehaviour: 'SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR',
  previewOptIn: 'SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN',
  historicBackfill: 'SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL',
} as const

interface Rule {
  readonly writeMode: WriteMode
  readonly variable: Exclude<keyof MigrationVariables, 'writeMode'>
  readonly required: OtelBehaviour | boolean
  readonly because: string
}

/** For each write mode, the values that the other migration variables must have (contract §§3.1, 9.3). `dual` requires nothing. */
const rules: readonly Rule[] = [
  {
    writeMode: 'legacy',
    variable: 'otelBehaviour',
    required: 'dual_write',
    because: 'direct writes go to the events tables, which this mode does not write',
  },
  {
    writeMode: 'legacy',
    variable: 'previewOptIn',
    required: false,
    because: 'the v4 read paths would show events tables to which nothing is written',
  },
  {
    writeMode: 'legacy',
    variable: 'historicBackfill',
    required: false,
    because: 'data that arrives between the backfill and the later switch to dual would be missing from the events tables permanently',
  },
  {
    writeMode: 'events_only',
    variable: 'otelBehaviour',
    required: 'direct',
    because: 'a dual write needs the old tables, which this mode does not write',
  },
  {
    writeMode: 'events_only',
    variable: 'previewOptIn',
    required: true,
    because: 'the v3 read paths would show old tables to which nothing is written',
  },
]

/** The check of contract §3.1. The message names every variable to change, its current and its required value, and the reason. */
export function validateMigrationVariables(variables: MigrationVariables): Validity {
  const broken = rules.filter(rule => {
    const value = variables[rule.variable]
    return rule.writeMode === variables.writeMode && value !== undefined && value !== rule.required
  })
  if (broken.length === 0) return { ok: true }
  const faults = broken.map(({ variable, required, because }) => {
    const name = migrationVariableNames[variable]
    return `${name}=${variables[variable]} is not valid, set ${name}=${required} (${because})`
  })
  return { ok: false, message: `With ${migrationVariableNames.writeMode}=${variables.writeMode}: ${faults.join('; ')}.` }
}
