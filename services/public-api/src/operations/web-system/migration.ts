// GET /api/ui/system/migration returns the progress of copying v3's data.
import { migration } from '@svc-server/api/web-system/operations'
import { backfillStatus, copiedRatio, copyState, missedInLegacy } from '@svc-server/backfill/status'
import { isChainPaused } from '@svc-server/relational/background-migrations'
import { instance } from '@svc-server/relational/tenancy'
import { handle, reply } from '../../request/handler.ts'

export const systemMigration = handle(migration, async (_, { relational, writeMode, clock }) => {
  const [steps, isPaused] = await Promise.all([backfillStatus(relational, clock()), isChainPaused(instance(relational))])
  return reply(200, {
    ...{ writeMode, isPaused, state: copyState(steps), ratio: copiedRatio(steps), missed: missedInLegacy(steps) },
    steps: steps.map(({ chunks: _, cutoff: _cutoff, legacySince: _since, ...step }) => step),
  })
})
