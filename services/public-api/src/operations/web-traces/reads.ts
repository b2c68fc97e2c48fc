// A missing trace and a trace of another project get the same 404.
import { AppError } from '@svc-server/errors'
import { readObservation, readSlice, readTraceTree, searchTrace } from '@svc-server/query/trace'
import type { Dependencies } from '../../request/dependencies.ts'
import { JsonText, reply } from '../../request/handler.ts'

interface OfTrace {
  readonly projectId: string
  readonly traceId: string
  readonly signal: AbortSignal
}

/** Default slice. */
const sliceCharacters = 262_144

export const notThere = (): AppError => new AppError('not_found', 'The trace does not exist in this project.')

function found<T>(value: T | undefined): T {
  if (value === undefined) throw notThere()
  return value
}

export async function treeReply(of: OfTrace & { readonly open: readonly string[] | undefined }, deps: Dependencies) {
  const tree = found(await readTraceTree(deps.columnStore, { ...of, open: of.open ?? [] }))
  return reply(200, new JsonText(await deps.payloads.render({ kind: 'tree', tree }, of.projectId)))
}

export async function searchReply(of: OfTrace & { readonly text: string }, deps: Dependencies) {
  return reply(200, await searchTrace(deps.columnStore, of))
}

type OfObservation = OfTrace & { readonly observationId: string }

export const observationOf = async (of: OfObservation, deps: Dependencies) => found(await readObservation(deps.columnStore, of))

interface Slice {
  readonly field: 'input' | 'output' | 'metadata' | 'expectedOutput'
  readonly offset: number | undefined
  readonly limit: number | undefined
}

export async function sliceReply({ offset = 0, limit = sliceCharacters, ...of }: OfObservation & Slice, deps: Dependencies) {
  return reply(200, found(await readSlice(deps.columnStore, { ...of, offset, limit })))
}
