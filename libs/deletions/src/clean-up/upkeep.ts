// What deletions need from time to time, beside who carries out commands: a command for those that a crash left without one, the
// end of deleted projects, and what projects no longer keep. Any number of processes may do it: each part may be done twice.
import type { ColumnStore } from '@svc-server/column-store/port'
import { isAppError } from '@svc-server/errors'
import { purgeProject, readPurgeable } from '@svc-server/relational/project-deletion'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { createRounds, type Rounds } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { keepsAll, retentionsIn, takenBeforeIn, type WhatIsKept } from '../remembered.ts'
import { type DeletionLog, renewDeletions } from '../requests.ts'
import { deleteProjectRows } from './project-rows.ts'
import { deleteExpired } from './retention.ts'

export interface UpkeepOptions extends DeletionLog {
  readonly relational: Pick<RelationalStore, 'db' | 'exclusive'>
  readonly columnStore: ColumnStore
  readonly logger: Logger
  /** Default a minute. */
  readonly intervalMs?: number
}

export interface Upkeep extends Pick<Rounds, 'start' | 'stop'> {
  /** One round. Throws what the stores throw; what was done stays done. */
  round(signal?: AbortSignal): Promise<void>
  /** As of the last round. */
  readonly kept: WhatIsKept
}

const defaultIntervalMs = 60_000
const dayMs = 86_400_000
/** At the start: whoever died a moment ago left what it had noted. Later it has been tried for as long, and is tried again. */
const renewAtStartAfterMs = 60_000
const renewAfterMs = 3_600_000

export function createUpkeep(options: UpkeepOptions): Upkeep {
  const { relational, columnStore, logger, clock, intervalMs = defaultIntervalMs } = options
  let hasRenewed = false
  let expiredAtMs = Number.NEGATIVE_INFINITY
  let kept = keepsAll

  async function giveCommands(): Promise<void> {
    const renewed = await renewDeletions(options, hasRenewed ? renewAfterMs : renewAtStartAfterMs)
    hasRenewed = true
    if (renewed > 0) logger.info({ deletions: renewed }, 'Deletions that nobody has carried out have another command')
  }

  async function endProjects(signal: AbortSignal | undefined): Promise<void> {
    for (const projectId of await readPurgeable(instance(relational))) {
      await deleteProjectRows(columnStore, projectId, { signal })
      await purgeProject(instance(relational), projectId, new Date(clock()))
      logger.info({ projectId }, 'Nothing is left of a deleted project')
    }
  }

  async function expire(signal: AbortSignal | undefined): Promise<void> {
    const nowMs = clock()
    const retentions = [...kept.retentions].map(([projectId, retentionDays]) => ({ projectId, retentionDays }))
    const deleted = await deleteExpired(columnStore, retentions, nowMs, { signal })
    expiredAtMs = nowMs
    if (Object.keys(deleted).length > 0)
      logger.info({ deleted, projects: retentions.length }, 'Rows that projects no longer keep were deleted')
  }

  async function round(signal?: AbortSignal): Promise<void> {
    // Before the others, which may take long and wait for their turn among processes.
    await giveCommands()
    const retentions = await retentionsIn(relational)
    // Of a project that keeps more than a moment ago, what was taken stays taken.
    const isLonger = [...kept.retentions].some(([projectId, days]) => days < (retentions.get(projectId) ?? Number.POSITIVE_INFINITY))
    const takenBefore = kept === keepsAll || isLonger ? await takenBeforeIn(relational, clock()) : kept.takenBefore
    kept = { retentions, takenBefore }
    const isDue = clock() - expiredAtMs >= dayMs
    if (!isDue && (await readPurgeable(instance(relational))).length === 0) return
    await relational.exclusive('deletions', async () => {
      await endProjects(signal)
      if (isDue) await expire(signal)
    })
  }

  async function tried(signal: AbortSignal): Promise<void> {
    try {
      await round(signal)
    } catch (error) {
      if (signal.aborted) return
      // Nothing that is stored meanwhile depends on it: whoever stores goes on.
      const level = isAppError(error) ? 'warn' : 'error'
      logger[level]({ err: error }, 'The upkeep of deletions was broken off, and is tried again')
    }
  }

  const { start, stop } = createRounds({ round: tried, restMs: intervalMs, isAtOnce: true })
  return {
    get kept() {
      return kept
    },
    round,
    start,
    stop,
  }
}
