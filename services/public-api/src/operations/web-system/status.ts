// GET /api/ui/system/status returns data about the installation to every signed-in person.
import { status } from '@svc-server/api/web-system/operations'
import { ledgerDifferences, missingOfAudit } from '@svc-server/conservation/recorded'
import { AppError } from '@svc-server/errors'
import { completenessPaths } from '@svc-server/stream/completeness'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'

export const systemStatus = handle(status, async (_, deps) => {
  const [ofLog, ...paths] = await Promise.all([
    deps.logStatus(),
    ...completenessPaths.map(async path => ({ path, completeUntil: (await deps.completeUntil([path])) ?? null })),
  ])
  return reply(200, {
    ...{ version: deps.version, writeMode: deps.writeMode, at: new Date(deps.clock()).toISOString(), paths },
    unaccounted: await unaccounted(deps),
    ...{ backlog: ofLog && [...ofLog.backlog], deadLetters: ofLog?.deadLetters ?? null },
  })
})

/** Unaccounted items per topic; null while the column store does not respond. */
async function unaccounted({ columnStore, log }: Pick<Dependencies, 'columnStore' | 'log'>) {
  try {
    const [ofLedger, ofAudit] = await Promise.all([ledgerDifferences(columnStore), missingOfAudit(columnStore, log)])
    const topics = [...new Set([...ofLedger, ...ofAudit].map(({ topic }) => topic))]
    // The ledger and the audit can count the same missing item. A sum would count this item twice, so the result is the larger count.
    const most = (topic: string) =>
      [...ofLedger, ...ofAudit].reduce((so, each) => (each.topic === topic ? Math.max(so, Math.abs(each.items)) : so), 0)
    return topics.map(topic => ({ topic, items: most(topic) }))
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
