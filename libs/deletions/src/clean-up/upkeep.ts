// Does periodic work for deletions. Any number of processes can do this work, because each step can be repeated.
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
  /** Default: a minute. */
  readonly intervalMs?: number
}

export interface Upkeep extends Pick<Rounds, 'start' | 'stop'> {
  /** Runs every step once. If a store throws an error, the round ends, and the completed steps stay completed. */
  round(signal?: AbortSignal): Promise<void>
  /** The retentions that the last round has read. */
  readonly kept: WhatIsKept
}

const defaultIntervalMs = 60_000
const dayMs = 86_400_000
/**
 * After this age, the command of an unfinished deletion is appended again. In the first round after the start of this process, the age is a
 * minute, because the process that recorded the deletion possibly crashed before it appended the command. In all further rounds, the age
 * is an hour.
 */
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
    if (renewed > 0) logger.info({ deletions: renewed }, 'Sent deletion commands again, because no writer has executed them')
  }

  async function endProjects(signal: AbortSignal | undefined): Promise<void> {
    for (const projectId of await readPurgeable(instance(relational))) {
      await deleteProjectRows(columnStore, projectId, { signal })
      await purgeProject(instance(relational), projectId, new Date(clock()))
      logger.info({ projectId }, 'A deleted project has been removed completely')
    }
  }

  async function expire(signal: AbortSignal | undefined): Promise<void> {
    const nowMs = clock()
    const retentions = [...kept.retentions].map(([projectId, retentionDays]) => ({ projectId, retentionDays }))
    const deleted = await deleteExpired(columnStore, retentions, nowMs, { signal })
    expiredAtMs = nowMs
    if (Object.keys(deleted).length > 0)
      logger.info({ deleted, projects: retentions.length }, 'Deleted rows older than their project’s retention')
  }

  async function round(signal?: AbortSignal): Promise<void> {
    // Missing commands are appended first, because the later steps may have to wait for other processes. Such a wait would delay the
    // commands.
    await giveCommands()
    const retentions = await retentionsIn(relational)
    // If a retention has become longer, rows that were deleted before this change stay deleted.
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
      // The writers continue.
      const level = isAppError(error) ? 'warn' : 'error'
      logger[level]({ err: error }, 'The upkeep of deletions failed, and is retried')
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
