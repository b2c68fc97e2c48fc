import { expect, test } from 'vitest'
import { validateMigrationVariables } from './migration-variables.ts'
import { otelBehaviours, writeModes } from './write-mode.ts'

// Maps each combination of the three variables, with and without the backfill, to its result (contract §§3.1, 9.3).
const verdicts: Record<string, 'ok' | 'invalid'> = {
  'legacy dual_write optIn=false backfill=unset': 'ok',
  'legacy dual_write optIn=false backfill=false': 'ok',
  'legacy dual_write optIn=false backfill=true': 'invalid',
  'legacy dual_write optIn=true backfill=unset': 'invalid',
  'legacy dual_write optIn=true backfill=false': 'invalid',
  'legacy dual_write optIn=true backfill=true': 'invalid',
  'legacy direct optIn=false backfill=unset': 'invalid',
  'legacy direct optIn=false backfill=false': 'invalid',
  'legacy direct optIn=false backfill=true': 'invalid',
  'legacy direct optIn=true backfill=unset': 'invalid',
  'legacy direct optIn=true backfill=false': 'invalid',
  'legacy direct optIn=true backfill=true': 'invalid',
  'dual dual_write optIn=false backfill=unset': 'ok',
  'dual dual_write optIn=false backfill=false': 'ok',
  'dual dual_write optIn=false backfill=true': 'ok',
  'dual dual_write optIn=true backfill=unset': 'ok',
  'dual dual_write optIn=true backfill=false': 'ok',
  'dual dual_write optIn=true backfill=true': 'ok',
  'dual direct optIn=false backfill=unset': 'ok',
  'dual direct optIn=false backfill=false': 'ok',
  'dual direct optIn=false backfill=true': 'ok',
  'dual direct optIn=true backfill=unset': 'ok',
  'dual direct optIn=true backfill=false': 'ok',
  'dual direct optIn=true backfill=true': 'ok',
  'events_only dual_write optIn=false backfill=unset': 'invalid',
  'events_only dual_write optIn=false backfill=false': 'invalid',
  'events_only dual_write optIn=false backfill=true': 'invalid',
  'events_only dual_write optIn=true backfill=unset': 'invalid',
  'events_only dual_write optIn=true backfill=false': 'invalid',
  'events_only dual_write optIn=true backfill=true': 'invalid',
  'events_only direct optIn=false backfill=unset': 'invalid',
  'events_only direct optIn=false backfill=false': 'invalid',
  'events_only direct optIn=false backfill=true': 'invalid',
  'events_only direct optIn=true backfill=unset': 'ok',
  'events_only direct optIn=true backfill=false': 'ok',
  'events_only direct optIn=true backfill=true': 'ok',
}

const combinations = writeModes.flatMap(writeMode =>
  otelBehaviours.flatMap(otelBehaviour =>
    [false, true].flatMap(previewOptIn =>
      [undefined, false, true].map(backfill => ({
        name: `${writeMode} ${otelBehaviour} optIn=${previewOptIn} backfill=${backfill ?? 'unset'}`,
        variables: { writeMode, otelBehaviour, previewOptIn, ...(backfill === undefined ? {} : { historicBackfill: backfill }) },
      })),
    ),
  ),
)

test('the table of verdicts contains every combination', () => {
  expect(combinations.map(c => c.name).sort()).toEqual(Object.keys(verdicts).sort())
})

test.each(combinations)('$name', ({ name, variables }) => {
  expect(validateMigrationVariables(variables).ok).toBe(verdicts[name] === 'ok')
})

test.each(combinations.filter(c => verdicts[c.name] === 'invalid'))(
  'following the message makes the combination valid: $name',
  ({ variables }) => {
    const result = validateMigrationVariables(variables)
    if (result.ok) throw new Error('expected a message')
    const advised = (name: string, otherwise: string | boolean) =>
      new RegExp(`set ${name}=(\\w+)`).exec(result.message)?.[1] ?? String(otherwise)
    const corrected = {
      writeMode: variables.writeMode,
      otelBehaviour: advised('SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR', variables.otelBehaviour) as 'direct',
      previewOptIn: advised('SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN', variables.previewOptIn) === 'true',
      historicBackfill: advised('SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL', variables.historicBackfill ?? false) === 'true',
    }
    expect(validateMigrationVariables(corrected)).toEqual({ ok: true })
  },
)

test('if only the write mode legacy is set, the defaults of the other two variables are invalid, and the message names both variables', () => {
  const result = validateMigrationVariables({ writeMode: 'legacy', otelBehaviour: 'direct', previewOptIn: true })
  expect(result).toEqual({
    ok: false,
    message:
      'With SVC_MIGRATION_V4_WRITE_MODE=legacy: SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR=direct is not valid, set ' +
      'SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR=dual_write (direct writes go to the events tables, which this mode does not write); ' +
      'SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN=true is not valid, set SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN=false ' +
      '(the v4 read paths would show events tables to which nothing is written).',
  })
})
