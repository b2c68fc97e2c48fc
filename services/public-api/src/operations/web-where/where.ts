// Locates a trace, and explains the origin of an observation, as `svc where` does.
import * as operations from '@svc-server/api/web-where/operations'
import { AppError } from '@svc-server/errors'
import { loadCatalog } from '@svc-server/relational/catalog'
import { deletionOfTrace } from '@svc-server/relational/deletions'
import { inProject, instance } from '@svc-server/relational/tenancy'
import { originOf } from '@svc-server/where/origin'
import { whereIsTrace } from '@svc-server/where/trace'
import { handle, reply } from '../../request/handler.ts'

const queue = { queue: 'columnStore', data: ['spans'] } as const

const timeOf = (ms: number): string => new Date(ms).toISOString()
const timeOrNull = (ms: number | null) => (ms === null ? null : timeOf(ms))

export const whereTrace = handle(
  operations.whereTrace,
  async ({ project: { projectId }, params: { traceId }, signal }, deps) => {
    const { columnStore, log, writeMode, windowTimes, relational } = deps
    const deletedAt = () => deletionOfTrace(inProject(relational, projectId), traceId)
    const where = await whereIsTrace({ log, columnStore, projectId, traceId, writeMode, ...windowTimes, deletedAt, signal })
    const { state, message, stored, onTheLog, inWindow, deadLetters, deletedMs, isWhole } = where
    const body = {
      ...{ traceId, state, message, isWhole, deletedAt: timeOrNull(deletedMs) },
      stored: { observations: stored.observations, roots: stored.roots, newestAt: timeOrNull(stored.newestMs) },
      onTheLog: {
        spans: onTheLog.spans,
        records: onTheLog.records.map(({ appendedMs, untilMs: _, ...record }) => ({ ...record, acceptedAt: timeOf(appendedMs) })),
      },
      inWindow: {
        spans: inWindow.spans,
        until: timeOrNull(inWindow.untilMs),
        records: inWindow.records.map(({ appendedMs, untilMs, ...record }) => ({
          ...record,
          acceptedAt: timeOf(appendedMs),
          until: timeOf(untilMs!),
        })),
      },
      deadLetters: deadLetters.map(({ atMs, ...deadLetter }) => ({ ...deadLetter, at: timeOf(atMs) })),
    }
    return reply(200, body)
  },
  queue,
)

export const explainObservation = handle(
  operations.explainObservation,
  async ({ project: { projectId }, params: { observationId }, query: { traceId }, signal }, deps) => {
    const { columnStore, log, relational, brandAliases } = deps
    const catalog = () => loadCatalog(instance(relational))
    const origin = await originOf({ log, columnStore, projectId, observationId, traceId, catalog, brandAliases, signal })
    if (origin === undefined) throw new AppError('not_found', `No observation ${observationId} is stored in this project.`)
    const { storedMs, receivedMs, ...rest } = origin
    return reply(200, { ...rest, storedAt: timeOf(storedMs), receivedAt: timeOrNull(receivedMs) })
  },
  queue,
)
