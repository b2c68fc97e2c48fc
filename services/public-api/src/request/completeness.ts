// The time until which a response of the column store is complete, for its header (ADR 0032).
import type { Dependencies } from './dependencies.ts'

const paths = { scores: ['scores'], spans: ['direct', 'overflow', 'staged'] } as const

/** Call this before reading the rows, so that the time covers no data that is acknowledged meanwhile. */
export async function completeness(
  { completeUntil }: Pick<Dependencies, 'completeUntil'>,
  ...of: readonly (keyof typeof paths)[]
): Promise<Readonly<Record<string, string>>> {
  const until = await completeUntil(of.flatMap(each => paths[each]))
  return until === undefined ? {} : { 'x-svc-complete-until': until }
}
