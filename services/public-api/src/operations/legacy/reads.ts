// Reads traces, observations and sessions from the old tables, and rows of sessions from v3's relational table (contract §§20.2, 20.4,
// 20.5).
import * as legacy from '@svc-server/api/legacy/reads'
import { AppError } from '@svc-server/errors'
import { findLegacyObservation, findSession, findTrace, listLegacyObservations, listSessions, listTraces } from '@svc-server/query/legacy'
import { readSessions } from '@svc-server/relational/sessions'
import { inProject } from '@svc-server/relational/tenancy'
import type { Dependencies } from '../../request/dependencies.ts'
import { type Handler, handle, reply } from '../../request/handler.ts'
import { rendered } from './rendered.ts'

const queue = { queue: 'columnStore' } as const

const sessionRowsOf =
  ({ relational }: Dependencies, projectId: string) =>
  (ids: readonly string[]) =>
    readSessions(inProject(relational, projectId), ids)

export const legacyReads: readonly Handler[] = [
  handle(
    legacy.listTraces,
    async ({ project: { projectId }, query, signal }, deps) => {
      const found = await listTraces(deps.columnStore, { projectId, query, signal })
      return rendered(deps, projectId, { is: 'traces', found })
    },
    queue,
  ),
  handle(
    legacy.getTrace,
    async ({ project: { projectId }, params: { traceId: id }, query: { fields }, signal }, deps) => {
      const found = await findTrace(deps.columnStore, { projectId, query: { id, fields }, signal }, deps.pricesOf)
      if (found === undefined) throw new AppError('not_found', `Trace ${id} not found within authorized project`)
      return rendered(deps, projectId, { is: 'trace', found })
    },
    queue,
  ),
  handle(
    legacy.listObservations,
    async ({ project: { projectId }, query, signal }, deps) => {
      const found = await listLegacyObservations(deps.columnStore, { projectId, query, signal }, deps.pricesOf)
      return rendered(deps, projectId, { is: 'observations', found })
    },
    queue,
  ),
  handle(
    legacy.getObservation,
    async ({ project: { projectId }, params, signal }, deps) => {
      const found = await findLegacyObservation(deps.columnStore, { projectId, query: params.observationId, signal }, deps.pricesOf)
      if (found === undefined) throw new AppError('not_found', 'Observation not found within authorized project')
      return rendered(deps, projectId, { is: 'observation', found })
    },
    queue,
  ),
  handle(
    legacy.listSessions,
    async ({ project: { projectId }, query, signal }, deps) =>
      reply(200, await listSessions(deps.columnStore, { projectId, query, signal }, sessionRowsOf(deps, projectId))),
    queue,
  ),
  handle(
    legacy.getSession,
    async ({ project: { projectId }, params, signal }, deps) => {
      const found = await findSession(deps.columnStore, { projectId, query: params.sessionId, signal }, sessionRowsOf(deps, projectId))
      if (found === undefined) throw new AppError('not_found', 'Session not found within authorized project')
      return rendered(deps, projectId, { is: 'session', found })
    },
    queue,
  ),
]
