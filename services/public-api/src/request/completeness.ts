// The response header that says until which time the data is complete (ADR 0032).
import type { Dependencies } from './dependencies.ts'

const paths = { scores: ['scores'], spans: ['direct', 'overflow', 'staged'] } as const
export type Data = keyof typeof paths
/** In the modes `legacy` and `dual`, reads of spans also return observations from events of the legacy API. */
const ofEvents = ['ingestion'] as const

/**
 * Call this function before the rows are read. A call after the read could return a time that is too late: the rows could lack data that
 * was acknowledged before this time.
 */
export async function completeness(
  { completeUntil, writeMode }: Pick<Dependencies, 'completeUntil' | 'writeMode'>,
  ...of: readonly Data[]
): Promise<Readonly<Record<string, string>>> {
  const events = writeMode !== 'events_only' && of.includes('spans') ? ofEvents : []
  const until = await completeUntil([...of.flatMap(each => paths[each]), ...events])
  return until === undefined ? {} : { 'x-svc-complete-until': until }
}
